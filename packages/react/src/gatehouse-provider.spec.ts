import { createClient, type AuthState } from '@gatehouse/js';
import { createElement, type ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { GatehouseProvider, Loading, SignedIn, SignedOut, useAuth } from './hooks.js';

const client = createClient({ url: 'https://auth.example.com', publishableKey: 'pk_test' });
const customer = { id: 'c1', email: 'ada@example.com', firstName: null, lastName: null, emailVerified: true };

const Email = () => useAuth().customer?.email;
const render = (initialState?: AuthState): string => {
  const part = (component: (props: { children?: ReactNode }) => ReactNode, text: ReactNode) =>
    createElement(component, null, text);
  return renderToString(
    createElement(
      GatehouseProvider,
      { client, ...(initialState && { initialState }) },
      part(SignedIn, createElement(Email)),
      part(SignedOut, 'signed out'),
      part(Loading, 'loading'),
    ),
  );
};

describe('GatehouseProvider on a server', () => {
  it('renders the state that the server passes', () => {
    expect(render({ status: 'signed_in', customer, sessionId: 's1' })).toBe('ada@example.com');
    expect(render({ status: 'signed_out', customer: null })).toBe('signed out');
  });

  it('renders the loading state if the server passes no state', () => {
    expect(render()).toBe('loading');
  });

  it('rejects hooks outside the provider', () => {
    expect(() => renderToString(createElement(Email))).toThrow('inside <GatehouseProvider>');
  });
});
