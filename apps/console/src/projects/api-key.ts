import type { Schemas } from '../http/client';

export type ApiKey = Schemas['ApiKeyResponse'];
export type CreatedKey = Schemas['CreatedApiKeyResponse'];
export type Scope = ApiKey['scopes'][number];

/** The scopes for a secret key, in the same order as in the API. A missing scope is a compile error. */
const scopeSet: Record<Scope, true> = {
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
  'customer:impersonate': true,
  'session:read': true,
  'session:revoke': true,
  'session:migrate': true,
  'mailbox:read': true,
  'billing:write': true,
  'webhook:read': true,
  'webhook:write': true,
  'webhook:redeliver': true,
  'event:read': true,
  'event:write': true,
  'audit:read': true,
};
export const scopes = Object.keys(scopeSet) as readonly Scope[];

/** Returns a key's masked value: "sk_003aU…INfG". */
export const maskKey = ({ prefix, last4 }: ApiKey): string => `${prefix}…${last4}`;

export const keyPath = ({ projectId, id }: Pick<ApiKey, 'projectId' | 'id'>): string =>
  `/projects/${projectId}/keys/${id}`;

export function keyState({ revokedAt, expiresAt }: ApiKey): 'active' | 'revoked' | 'expired' {
  if (revokedAt) return 'revoked';
  return expiresAt && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

export function formatScopes({ type, scopes: granted }: ApiKey): string {
  if (type === 'publishable') return 'Registration, sign-in';
  if (granted.length === scopes.length) return 'All scopes';
  if (granted.length === 0) return 'None';
  return granted.length <= 2 ? granted.join(', ') : `${granted.length} of ${scopes.length} scopes`;
}
