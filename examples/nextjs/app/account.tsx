'use client';
import { useAuth } from '@gatehouse/react';
import Link from 'next/link';

export function Account() {
  const { customer, signOut } = useAuth();
  if (!customer) return <Link href="/sign-in">Sign in</Link>;
  return (
    <p>
      Signed in as {customer.email} <button onClick={() => void signOut()}>Sign out</button>
    </p>
  );
}
