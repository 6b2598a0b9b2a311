import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@gatehouse/domain';
import {
  malformedCredentialDetail,
  missingCredentialDetail,
  unexpectedCredentialDetail,
} from './credential-details.js';

const key = formatApiKey('secret', randomBytes(32));

it('lists the credentials that the route accepts if none was sent', () => {
  expect(missingCredentialDetail(['publishable-key', 'secret-key'])).toBe(
    'The request contains no credential. Send a publishable key, pk_…, in X-Publishable-Key, or a secret key as "Authorization: Bearer sk_…" or in X-Api-Key.',
  );
});

it.each([
  ['authorization', '', /does not have the form "Bearer …"/],
  ['authorization', `${key.slice(0, -1)}!`, /^The API key in Authorization is malformed/],
  ['x-api-key', 'sk_test', /^The API key in X-Api-Key is malformed/],
  ['x-publishable-key', 'hello', /^The X-Publishable-Key header does not contain an API key/],
  ['authorization', 'eyJhbGciOi', /^The Authorization header does not contain an API key/],
] as const)('describes a malformed credential in %s: %s', (header, value, expected) =>
  expect(malformedCredentialDetail({ header, value }, ['secret-key'])).toMatch(expected),
);

it('AK-09: returns null for a well-formed key, whether unknown, revoked or expired', () =>
  expect(malformedCredentialDetail({ header: 'authorization', value: key }, ['secret-key'])).toBeNull());

it('includes the credential type and the accepted credentials, but not the value', () => {
  const detail = unexpectedCredentialDetail('secret-key', 'x-publishable-key', ['publishable-key']);
  expect(detail).toBe(
    'The X-Publishable-Key header contains a secret key. Send a publishable key, pk_…, in X-Publishable-Key.',
  );
});
