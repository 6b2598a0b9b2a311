import { SetMetadata } from '@nestjs/common';
import { minimumRoleFor, type Access, type OperatorRole, type Scope } from '@gatehouse/domain';
import type { CallerKind } from './caller.js';

/** All operators, or only operators who have a second factor. Only development allows operators without one. */
export type ReauthenticatedOperators = 'all' | 'enrolled';

/** The credential that a route requires. */
export interface RouteCredential {
  /** The credential kinds that the route accepts; empty for a route without authentication. */
  kinds: CallerKind[];
  /** The required scopes; a secret key must have each one. */
  scopes: Scope[];
  access: Access;
  /** The minimum operator role; on shared routes it replaces the scopes. */
  role?: OperatorRole;
  /** The operators who must have verified the second factor again within the last five minutes. */
  reauthentication?: ReauthenticatedOperators;
  /** True if the route rejects operators who are limited to organizations. */
  requiresInstallationAccess?: boolean;
}

const ROUTE_CREDENTIAL = Symbol('route credential');
const OPERATOR_ROUTES = Symbol('operator routes');
const OPERATOR_ROLE = Symbol('operator role');
const REAUTHENTICATION = Symbol('reauthentication');
const INSTALLATION_ACCESS = Symbol('installation access');

const declareCredential = (
  kinds: CallerKind[],
  scopes: Scope[] = [],
  access: Access = 'project',
): MethodDecorator & ClassDecorator =>
  SetMetadata(ROUTE_CREDENTIAL, { kinds, scopes, access } satisfies RouteCredential);

/** Declares a route that requires no credential and ignores credential headers. */
export const NoCredential = (): MethodDecorator & ClassDecorator => declareCredential([]);

/** Declares a route that accepts a publishable key in `x-publishable-key`. */
export const PublishableKey = (): MethodDecorator & ClassDecorator => declareCredential(['publishable-key']);

/** Declares a route that accepts a publishable key, or a secret key with all of the scopes. */
export const PublishableOrSecretKey = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  declareCredential(['publishable-key', 'secret-key'], scopes);

/** Declares a route that accepts a secret key with all of the scopes, as a bearer token or in `x-api-key`. */
export const SecretKey = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  declareCredential(['secret-key'], scopes);

/** Declares a route that accepts a secret key with all of the scopes and organization access. */
export const OrganizationKey = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  declareCredential(['secret-key'], scopes, 'organization');

/** Declares a route that accepts a customer's access token as a bearer token. */
export const AccessToken = (): MethodDecorator & ClassDecorator => declareCredential(['access-token']);

/** Declares a route that accepts an operator's session if the operator has at least this role. */
export const Operator = (role: OperatorRole): MethodDecorator & ClassDecorator =>
  SetMetadata(ROUTE_CREDENTIAL, {
    kinds: ['operator'],
    scopes: [],
    access: 'project',
    role,
  } satisfies RouteCredential);

/**
 * Makes a controller's inherited routes accept an operator's session instead of a secret key. The operator's role must
 * grant the scopes (`roleScopes`), or be at least the role that the handler declares with `MinimumRole`.
 */
export const OperatorRoutes = (): ClassDecorator => SetMetadata(OPERATOR_ROUTES, true);

/** Declares the minimum operator role for a route whose scopes would require a higher role. */
export const MinimumRole = (role: OperatorRole): MethodDecorator => SetMetadata(OPERATOR_ROLE, role);

/**
 * Declares a route that rejects an operator who has not verified the second factor again in this session within
 * the last five minutes (requirement OP-01). Keys are not affected.
 * @param operators `all`: also rejects operators who have no second factor
 */
export const ReauthenticationRequired = (operators: ReauthenticatedOperators = 'all'): MethodDecorator =>
  SetMetadata(REAUTHENTICATION, operators);

/**
 * Declares a route that affects the entire installation and therefore rejects operators who are limited to
 * organizations. Keys are not affected.
 */
export const InstallationAccessRequired = (): MethodDecorator & ClassDecorator =>
  SetMetadata(INSTALLATION_ACCESS, true);

/** Returns the minimum operator role for a route. */
export const requiredRole = ({ role, scopes }: RouteCredential): OperatorRole =>
  role ?? minimumRoleFor(scopes);

/**
 * Returns the credential that a route requires, or undefined if it declares none and must reject every
 * request.
 */
export function routeCredential(controller: object, handler: object): RouteCredential | undefined {
  const metadata = <T>(key: symbol): T | undefined =>
    (Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller)) as T | undefined;
  const declared = metadata<RouteCredential>(ROUTE_CREDENTIAL);
  const reauthentication = metadata<ReauthenticatedOperators>(REAUTHENTICATION);
  const requiresInstallationAccess = metadata<boolean>(INSTALLATION_ACCESS);
  const credential = declared && {
    ...declared,
    ...(reauthentication && { reauthentication }),
    ...(requiresInstallationAccess && { requiresInstallationAccess }),
  };
  if (!credential?.kinds.includes('secret-key') || !metadata(OPERATOR_ROUTES)) return credential;
  const role = metadata<OperatorRole>(OPERATOR_ROLE);
  return { ...credential, kinds: ['operator'], ...(role && { role, scopes: [] }) };
}
