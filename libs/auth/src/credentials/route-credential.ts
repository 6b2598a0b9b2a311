import { SetMetadata } from '@nestjs/common';
import type { Access, Scope } from '#domain';
import type { CallerKind } from './caller.js';

/** What a route asks of its caller. */
export interface RouteCredential {
  /** The kinds that open the route; empty for a route that anybody may call. */
  kinds: CallerKind[];
  /** All of them, when the caller comes with a secret key. */
  scopes: Scope[];
  access: Access;
}

export const ROUTE_CREDENTIAL = Symbol('route credential');

const declare = (
  kinds: CallerKind[],
  scopes: Scope[] = [],
  access: Access = 'project',
): MethodDecorator & ClassDecorator =>
  SetMetadata(ROUTE_CREDENTIAL, { kinds, scopes, access } satisfies RouteCredential);

/** The route takes no key and ignores credential headers. */
export const NoCredential = (): MethodDecorator & ClassDecorator => declare([]);

/** The route takes a publishable key in `x-publishable-key`. */
export const PublishableKey = (): MethodDecorator & ClassDecorator => declare(['publishable-key']);

/** The route takes a publishable key, or a secret key with all of the scopes. */
export const PublishableOrSecretKey = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  declare(['publishable-key', 'secret-key'], scopes);

/** The route takes a secret key with all of the scopes, as a bearer token or in `x-api-key`. */
export const SecretKey = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  declare(['secret-key'], scopes);

/** The route takes a secret key with all of the scopes that reaches the whole organization. */
export const OrganizationKey = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  declare(['secret-key'], scopes, 'organization');

/** The route takes a customer's access token as a bearer token. */
export const AccessToken = (): MethodDecorator & ClassDecorator => declare(['access-token']);
