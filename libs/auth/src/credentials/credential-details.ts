import { apiKeyType } from '@gatehouse/domain';
import type { CallerKind } from './caller.js';
import type { PresentedCredential } from './presented-credentials.js';

/**
 * The `detail` in responses to missing, malformed and misplaced credentials. It depends only on the route and on the
 * credential's form: the body is the same for an unknown, a revoked and an expired key (requirement AK-09).
 */

const acceptedForms: Record<CallerKind, string> = {
  'secret-key': 'a secret key as "Authorization: Bearer sk_…" or in X-Api-Key',
  'publishable-key': 'a publishable key, pk_…, in X-Publishable-Key',
  'access-token': 'an access token as "Authorization: Bearer …"',
  operator: 'the session of a signed-in operator',
};

const headerNames: Record<PresentedCredential['header'], string> = {
  authorization: 'Authorization',
  'x-api-key': 'X-Api-Key',
  'x-publishable-key': 'X-Publishable-Key',
};

const kindNames: Record<CallerKind, string> = {
  'secret-key': 'a secret key',
  'publishable-key': 'a publishable key',
  'access-token': 'an access token',
  operator: 'an operator session',
};

/** Returns a sentence that lists the accepted credentials, such as `Send a publishable key in X-Publishable-Key.` */
const expectedCredentials = (kinds: CallerKind[]): string =>
  `Send ${kinds.map((kind) => acceptedForms[kind]).join(', or ')}.`;

/** The detail for a well-formed key that is not active. */
export const INACTIVE_KEY_DETAIL =
  'The API key is unknown, revoked or expired. Use an active key, or create a new one.';

/** Returns the detail for a request without any credential. */
export const missingCredentialDetail = (kinds: CallerKind[]): string =>
  `The request contains no credential. ${expectedCredentials(kinds)}`;

/** Returns the detail for a malformed credential, or null if it is well-formed. */
export function malformedCredentialDetail(
  { header, value }: PresentedCredential,
  kinds: CallerKind[],
): string | null {
  if (apiKeyType(value)) return null;
  const name = headerNames[header];
  if (header === 'authorization' && value === '')
    return `The ${name} header does not have the form "Bearer …". ${expectedCredentials(kinds)}`;
  if (/^(sk|pk)_/.test(value))
    return `The API key in ${name} is malformed: its length or checksum is wrong. Check that it was copied completely.`;
  if (header !== 'authorization' || !kinds.includes('access-token'))
    return `The ${name} header does not contain an API key. ${expectedCredentials(kinds)}`;
  return null;
}

/** Returns the detail for a valid credential that the route does not accept, or does not accept in this header. */
export const unexpectedCredentialDetail = (
  kind: CallerKind,
  header: PresentedCredential['header'],
  kinds: CallerKind[],
): string => `The ${headerNames[header]} header contains ${kindNames[kind]}. ${expectedCredentials(kinds)}`;
