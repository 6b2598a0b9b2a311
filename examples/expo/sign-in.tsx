import { useRedirect, useSignIn, type RedirectResult, type SignInResult } from '@gatehouse/expo';
import { useEffect, useState } from 'react';
import { Button, Text, TextInput } from 'react-native';
import { SecondFactor } from './second-factor';

export function SignIn() {
  const { signUp, signInWithPassword, signInWithGoogle, signInWithApple, isPending, error } = useSignIn();
  const redirect = useRedirect();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [result, setResult] = useState<SignInResult | RedirectResult | null>(null);
  // An emailed link or a sign-in in the browser can open the app.
  useEffect(() => setResult(redirect.result), [redirect.result]);

  const run = (signIn: () => Promise<SignInResult>) => {
    // Errors are in `error`. A canceled sign-in needs no message.
    signIn().then(setResult, () => setResult(null));
  };
  if (result?.status === 'second_factor') return <SecondFactor challenge={result.challenge} />;

  return (
    <>
      <TextInput
        placeholder="Email"
        accessibilityLabel="Email"
        autoCapitalize="none"
        autoComplete="email"
        keyboardType="email-address"
        value={email}
        onChangeText={setEmail}
      />
      <TextInput
        placeholder="Password"
        accessibilityLabel="Password"
        autoComplete="current-password"
        secureTextEntry
        value={password}
        onChangeText={setPassword}
      />
      <Button
        title="Sign in"
        disabled={isPending}
        onPress={() => run(() => signInWithPassword({ email, password }))}
      />
      <Button title="Sign up" disabled={isPending} onPress={() => run(() => signUp({ email, password }))} />
      <Button title="Continue with Google" disabled={isPending} onPress={() => run(signInWithGoogle)} />
      <Button title="Continue with Apple" disabled={isPending} onPress={() => run(signInWithApple)} />
      {result?.status === 'verify_email' && <Text>Check your inbox</Text>}
      {(error ?? redirect.error) && <Text accessibilityRole="alert">{(error ?? redirect.error)?.code}</Text>}
    </>
  );
}
