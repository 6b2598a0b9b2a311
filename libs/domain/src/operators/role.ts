import { scopes, type Scope } from '../api-keys/scopes.js';

/** The operator roles. Each role has all permissions that the preceding ones have. */
export const operatorRoles = ['viewer', 'operator', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** Excludes `mailbox:read`, because the links in captured emails can be used to sign in as a customer. */
const readScopes = scopes.filter((scope) => scope.endsWith(':read') && scope !== 'mailbox:read');

/**
 * Each role's scopes on routes that also accept a secret key. Operators do not have `customer:write`, because setting
 * an email address or a password would allow them to take over the account. The routes declare operators' other
 * permissions on customers and endpoints (`MinimumRole`).
 */
export const roleScopes: Record<OperatorRole, readonly Scope[]> = {
  viewer: readScopes,
  operator: [...readScopes, 'mailbox:read', 'session:revoke', 'webhook:redeliver'],
  admin: scopes,
};

/** Returns whether a role has all permissions of a required role. */
export const hasRole = (role: OperatorRole, required: OperatorRole): boolean =>
  operatorRoles.indexOf(role) >= operatorRoles.indexOf(required);

/** Returns the lowest role that has all required scopes. */
export const minimumRoleFor = (required: readonly Scope[]): OperatorRole =>
  operatorRoles.find((role) => required.every((scope) => roleScopes[role].includes(scope))) ?? 'admin';
