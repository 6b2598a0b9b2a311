import Link from 'next/link';
import { Account } from './account';

export default function HomePage() {
  return (
    <main>
      <h1>Shop</h1>
      <Account />
      <Link href="/orders">Orders</Link>
    </main>
  );
}
