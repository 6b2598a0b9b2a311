import { SetMetadata } from '@nestjs/common';
import { minimumRoleFor, type Access, type OperatorRole, type Scope } from '@gatehouse/domain';
import type { CallerKind } from './caller.js';

/** What a route asks of its caller. */
export interface RouteCredential {
  /** The kinds that open the route; empty for a route that anybody may call. */
  kinds: CallerKind[];
  /** All of them, when the caller comes with a secret key. */
  scopes: Scope[];
  access: Access;
  /** The least that an operator must be; on shared routes it stands in place of the scopes. */
  role?: OperatorRole;
  /** Whether an operator must have a second factor. */
  needsSecondFactor?: boolean;
}

const ROUTE_CREDENTIAL = Symbol('route credential');
const OPERATOR_ROUTES = Symbol('operator routes');
const OPERATOR_ROLE = Symbol('operator role');
const SECOND_FACTOR = Symbol('second factor');

const declareCredential = (
  kinds: CallerKind[],
  scopes: Scope[] = [],
  access: Access = 'project',
): MethodDecorator & ClassDecorator =>
  SetMetadata(ROUTE_CREDENTIAL, { kinds, scopes, access } satisfies RouteCredential);

/** The route takes no key and ignores credential headers. */
export const NoCredential = (): MethodDecorator & ClassDecorator => declareCredential([]);

/** The route takes a publishable key in `x-publishable-key`. */
export const PublishableKey = (): MethodDecorator & ClassDecorator => declareCredential(['publishable-key']);

/** The route takes a publishable key, or a secret key with all of the scopes. */
export const PublishableOrSecretKey = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  declareCredential(['publishable-key', 'secret-key'], scopes);

/** The route takes a secret key with all of the scopes, as a bearer token or in `x-api-key`. */
export const SecretKey = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  declareCredential(['secret-key'], scopes);

/** The route takes a secret key with all of the scopes that reaches the whole organization. */
export const OrganizationKey = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  declareCredential(['secret-key'], scopes, 'organization');

/** The route takes a customer's access token as a bearer token. */
export const AccessToken = (): MethodDecorator & ClassDecorator => declareCredential(['access-token']);

/** The route takes the session of an operator of at least this role. */
export const Operator = (role: OperatorRole): MethodDecorator & ClassDecorator =>
  SetMetadata(ROUTE_CREDENTIAL, {
    kinds: ['operator'],
    scopes: [],
    access: 'project',
    role,
  } satisfies RouteCredential);

/**
 * The routes that this controller inherits take an operator's session in place of a secret key: of a role that has
 * the scopes (`roleScopes`), or that the handler names with `MinimumRole`.
 */
export const OperatorRoutes = (): ClassDecorator => SetMetadata(OPERATOR_ROUTES, true);

/** The least that an operator must be, where the scopes of the route ask for more of a key. */
export const MinimumRole = (role: OperatorRole): MethodDecorator => SetMetadata(OPERATOR_ROLE, role);

/** The route rejects an operator who has signed in without a second factor. */
export const SecondFactorRequired = (): MethodDecorator => SetMetadata(SECOND_FACTOR, true);

/** The least that an operator must be on a route. */
export const requiredRole = ({ role, scopes }: RouteCredential): OperatorRole =>
  role ?? minimumRoleFor(scopes);

/** What the route asks of its caller; undefined when it names nothing, and then it lets nobody in. */
export function routeCredential(controller: object, handler: object): RouteCredential | undefined {
  const metadata = <T>(key: symbol): T | undefined =>
    (Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller)) as T | undefined;
  const declared = metadata<RouteCredential>(ROUTE_CREDENTIAL);
  const credential =
    declared && metadata(SECOND_FACTOR) ? { ...declared, needsSecondFactor: true } : declared;
  if (!credential?.kinds.includes('secret-key') || !metadata(OPERATOR_ROUTES)) return credential;
  const role = metadata<OperatorRole>(OPERATOR_ROLE);
  return { ...credential, kinds: ['operator'], ...(role && { role, scopes: [] }) };
}
