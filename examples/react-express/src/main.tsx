import { GatehouseProvider, SignedIn, SignedOut, SignIn } from '@gatehouse/react';
import '@gatehouse/react/styles.css';
import { createRoot } from 'react-dom/client';
import { client } from './client.js';
import { Orders } from './orders.js';
import { Webhooks } from './webhooks.js';

createRoot(document.getElementById('root')!).render(
  <GatehouseProvider client={client}>
    <SignedOut>
      <SignIn />
    </SignedOut>
    <SignedIn>
      <Orders />
      <Webhooks />
    </SignedIn>
  </GatehouseProvider>,
);
