import { createClient, localStorageStorage } from '@gatehouse/js';
import * as components from '@gatehouse/react';
import { de } from '@gatehouse/react/de';
import '@gatehouse/react/styles.css';
import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './page.css';

const { GatehouseProvider, Loading, SignedIn, SignedOut, useAuth, useCustomer } = components;
const config = JSON.parse(document.getElementById('config').textContent);

/** Email addresses passed to `onComplete`, for assertions. */
window.completed = [];
window.client = createClient({ ...config.client, storage: localStorageStorage() });

function Account() {
  const { customer, signOut } = useAuth();
  const profile = useCustomer();
  const name = profile.customer && (profile.customer.firstName ?? 'unknown');
  return createElement(
    'p',
    null,
    `Signed in as ${customer.email} `,
    createElement('button', { onClick: () => void signOut() }, 'Sign out'),
    createElement('button', { onClick: () => void profile.reload() }, 'Reload'),
    ` Name: ${profile.isLoading ? 'loading' : (name ?? profile.error.code)}`,
  );
}

const show = (name) => name && createElement(components[name], { ...config.props, onComplete });
const onComplete = ({ email }) => window.completed.push(email);

createRoot(document.getElementById('root')).render(
  createElement(
    StrictMode,
    null,
    createElement(
      GatehouseProvider,
      { client: window.client, appearance: config.appearance, localization: { de }[config.localization] },
      createElement(SignedOut, null, show(config.signedOut)),
      createElement(SignedIn, null, createElement(Account), show(config.signedIn)),
      createElement(Loading, null, 'Loading'),
    ),
  ),
);
