import { createClient } from '@gatehouse/js';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { AccountSettings, CustomerButton, GatehouseProvider } from '../index.js';
import { de } from '../localization/de.js';

const client = createClient({ url: 'https://auth.example.com', publishableKey: 'pk_test' });
const customer = {
  id: 'c1',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Byron',
  emailVerified: true,
};

describe('AccountSettings and CustomerButton on a server', () => {
  it('renders the loading state and the initials', () => {
    const initialState = { status: 'signed_in', customer, sessionId: 's1' } as const;
    const html = renderToString(
      createElement(
        GatehouseProvider,
        { client, initialState, localization: de },
        createElement(CustomerButton),
        createElement(AccountSettings),
      ),
    );
    expect(html).toContain('data-initials="AB"');
    expect(html).toContain('aria-label="Wird geladen"');
  });
});
