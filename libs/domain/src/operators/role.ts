import { scopes, type Scope } from '../api-keys/scopes.js';

/** What an operator may do; each role may do all that those before it may. */
export const operatorRoles = ['viewer', 'operator', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

const readScopes = scopes.filter((scope) => scope.endsWith(':read'));

/**
 * What each role may do on the routes that a secret key opens too, in the words of its scopes. An operator has no
 * `customer:write`: whoever sets an address or a password has the account. What else they do about customers and
 * endpoints says its route (`MinimumRole`).
 */
export const roleScopes: Record<OperatorRole, readonly Scope[]> = {
  viewer: readScopes,
  operator: [...readScopes, 'session:revoke', 'webhook:redeliver'],
  admin: scopes,
};

/** Whether a role may do what another one may. */
export const hasRole = (role: OperatorRole, required: OperatorRole): boolean =>
  operatorRoles.indexOf(role) >= operatorRoles.indexOf(required);

/** The least of the roles that may do all of this; an admin may do everything. */
export const minimumRoleFor = (required: readonly Scope[]): OperatorRole =>
  operatorRoles.find((role) => required.every((scope) => roleScopes[role].includes(scope))) ?? 'admin';
