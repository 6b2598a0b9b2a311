import { GatehouseError, insufficientScope } from '../errors/gatehouse-error.js';
import type { Access, Scope } from './scopes.js';

/** What a key may do. */
export interface KeyGrant {
  access: Access;
  scopes: readonly Scope[];
}

/**
 * Refuses to give away more than the giver has (contract, section 3): a key mints and rotates only within itself.
 * @throws GatehouseError `insufficient_scope` with the scopes that the giver lacks, `insufficient_access`
 */
export function assertGrantWithin(granter: KeyGrant, requested: KeyGrant): void {
  const requiredScopes = requested.scopes.filter((scope) => !granter.scopes.includes(scope));
  if (requiredScopes.length > 0) throw insufficientScope(requiredScopes);
  assertAccess(granter.access, requested.access);
}

/** @throws GatehouseError `insufficient_access` when `wanted` reaches further than `own` */
export function assertAccess(granted: Access, requested: Access): void {
  if (requested === 'organization' && granted !== 'organization') {
    throw new GatehouseError('insufficient_access', { members: { requiredAccess: requested } });
  }
}
