import { scopes, type Scope } from '../api-keys/scopes.js';

/** The operator roles. Each role has all permissions that the preceding ones have. */
export const operatorRoles = ['viewer', 'operator', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** Without the mailbox: the links in captured emails sign in as their customers. */
const readScopes = scopes.filter((scope) => scope.endsWith(':read') && scope !== 'mailbox:read');

/**
 * Each role's scopes on the routes that also accept a secret key. Operators do not have `customer:write`, because
 * setting an email address or a password takes over the account. Their other permissions for customers and endpoints
 * are declared by the routes (`MinimumRole`).
 */
export const roleScopes: Record<OperatorRole, readonly Scope[]> = {
  viewer: readScopes,
  operator: [...readScopes, 'mailbox:read', 'session:revoke', 'webhook:redeliver'],
  admin: scopes,
};

/** Returns whether a role has all permissions that another role has. */
export const hasRole = (role: OperatorRole, required: OperatorRole): boolean =>
  operatorRoles.indexOf(role) >= operatorRoles.indexOf(required);

/** Returns the lowest role that has all given scopes. Admins have every permission. */
export const minimumRoleFor = (required: readonly Scope[]): OperatorRole =>
  operatorRoles.find((role) => required.every((scope) => roleScopes[role].includes(scope))) ?? 'admin';
