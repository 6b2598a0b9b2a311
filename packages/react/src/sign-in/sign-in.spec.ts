import { createClient } from '@gatehouse/js';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { GatehouseProvider, SignedOut, SignIn, SignUp } from '../index.js';
import { de } from '../localization/de.js';

const client = createClient({ url: 'https://auth.example.com', publishableKey: 'pk_test' });

describe('SignIn and SignUp on a server', () => {
  it.each([
    [SignIn, 'Anmelden'],
    [SignUp, 'Konto erstellen'],
  ])('renders the heading and the loading state', (component, heading) => {
    const html = renderToString(
      createElement(
        GatehouseProvider,
        { client, initialState: { status: 'signed_out', customer: null }, localization: de },
        createElement(SignedOut, null, createElement(component)),
      ),
    );
    expect(html).toContain(`>${heading}</h2>`);
    expect(html).toContain('aria-label="Wird geladen"');
  });
});
