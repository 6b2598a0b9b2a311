import { useAuth } from '@gatehouse/react';
import { useEffect, useState } from 'react';

export function Orders() {
  const { customer, fetch, signOut } = useAuth();
  const [orders, setOrders] = useState<string[]>([]);
  useEffect(() => {
    void fetch('/api/orders')
      .then((response) => response.json() as Promise<{ orders: string[] }>)
      .then((body) => setOrders(body.orders));
  }, [fetch]);
  return (
    <section>
      <p>
        Signed in as {customer?.email} <button onClick={() => void signOut()}>Sign out</button>
      </p>
      <h2>Orders</h2>
      <ul aria-label="Orders">
        {orders.map((order) => (
          <li key={order}>{order}</li>
        ))}
      </ul>
    </section>
  );
}
