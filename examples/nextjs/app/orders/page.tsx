import { auth } from '@gatehouse/nextjs';
import { Account } from '../account';
import { PayButton } from './pay-button';

export default async function OrdersPage() {
  const { customerId } = await auth.protect();
  return (
    <main>
      <h1>Orders</h1>
      <p>Orders for customer {customerId}</p>
      <PayButton />
      <Account />
    </main>
  );
}
