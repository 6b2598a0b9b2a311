import { SignIn } from '@gatehouse/nextjs';

export default function SignInPage() {
  return (
    <main>
      <SignIn />
    </main>
  );
}
