import type { Schemas } from '../http/client';

export type ApiKey = Schemas['ApiKeyResponse'];
export type CreatedKey = Schemas['CreatedApiKeyResponse'];
export type Scope = ApiKey['scopes'][number];

/** What a secret key can be allowed, as the contract lists it; one that is missing here does not compile. */
const scopeLabels: Record<Scope, true> = {
  'organization:read': true,
  'organization:write': true,
  'project:read': true,
  'project:write': true,
  'api_key:read': true,
  'api_key:write': true,
  'customer:read': true,
  'customer:write': true,
  'customer:delete': true,
  'customer:export_hashes': true,
  'session:read': true,
  'session:revoke': true,
  'billing:write': true,
  'webhook:read': true,
  'webhook:write': true,
  'webhook:redeliver': true,
  'event:read': true,
  'audit:read': true,
};
export const scopes = Object.keys(scopeLabels) as readonly Scope[];

/** "sk_003aU…INfG" */
export const maskKey = ({ prefix, last4 }: ApiKey): string => `${prefix}…${last4}`;

export function keyState({ revokedAt, expiresAt }: ApiKey): 'active' | 'revoked' | 'expired' {
  if (revokedAt) return 'revoked';
  return expiresAt && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

export function formatScopes({ type, scopes: held }: ApiKey): string {
  if (type === 'publishable') return 'Registration, sign-in';
  if (held.length === scopes.length) return 'All scopes';
  if (held.length === 0) return 'None';
  return held.length <= 2 ? held.join(', ') : `${held.length} of ${scopes.length} scopes`;
}
