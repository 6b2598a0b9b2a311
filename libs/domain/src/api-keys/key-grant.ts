import { GatehouseError, insufficientScope } from '../errors/gatehouse-error.js';
import type { Access, Scope } from './scopes.js';

/** A key's permissions. */
export interface KeyGrant {
  access: Access;
  scopes: readonly Scope[];
}

/**
 * Rejects permissions that the granting key does not have (contract, section 3): a key can create, rotate and revoke
 * only keys with a subset of its own permissions.
 * @throws GatehouseError `insufficient_scope` with the missing scopes, or `insufficient_access`
 */
export function assertGrantWithin(granter: KeyGrant, requested: KeyGrant): void {
  const requiredScopes = requested.scopes.filter((scope) => !granter.scopes.includes(scope));
  if (requiredScopes.length > 0) throw insufficientScope(requiredScopes);
  if (requested.access === 'organization' && granter.access !== 'organization') {
    throw new GatehouseError('insufficient_access', { members: { requiredAccess: requested.access } });
  }
}
