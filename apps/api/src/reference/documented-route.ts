import { RequestMethod, type INestApplication } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { OperationObject } from '@nestjs/swagger';
import { routeCredential, type ReauthenticatedOperators, type RouteCredential } from '@gatehouse/auth';
import type { ErrorCode } from '@gatehouse/domain';
import { API_PROBLEMS } from '../http/problems/api-problems.js';
import { isConsolePath } from '../http/console-request.js';
import { ENTITY_TAG, type EntityTagMetadata } from '../http/preconditions/entity-tag.js';
import type { BodyClass } from '../http/input/input.pipe.js';
import { RATE_LIMIT } from '../http/limits/rate-limit.js';

/** A route to document, with the metadata that guards and pipes read from its handler. */
export interface DocumentedRoute {
  method: string;
  path: string;
  operation: OperationObject;
  credential: RouteCredential;
  isLimited: boolean;
  bodyIsOptional: boolean;
  /** True if the route returns an `ETag`. */
  hasEntityTag: boolean;
  /** True if the route accepts `If-None-Match`. */
  isCacheable: boolean;
  /** Error codes from `@ApiProblems`. */
  problems: ErrorCode[];
}

type Controller = new (...args: never[]) => object;

const noCredential: RouteCredential = { kinds: [], scopes: [], access: 'project' };

/** A handler with the controller that defines or inherits it. */
interface Handler {
  controller: Controller;
  name: string;
}

/** Finds an app's handlers by method and path. */
export class RouteReader {
  private readonly handlers = new Map<string, Handler>();

  constructor(app: INestApplication) {
    for (const module of app.get(ModulesContainer).values()) {
      for (const { metatype } of module.controllers.values()) this.add(metatype as Controller);
    }
  }

  /**
   * Returns a route.
   * @param path path in the document's format: `/api/v1/customers/{customerId}`
   */
  read(method: string, path: string, operation: OperationObject): DocumentedRoute {
    const { controller, name } = this.handlers.get(`${method} ${path}`)!;
    const handler = getHandler(controller, name);
    const metadata = <T>(key: symbol): T | undefined =>
      (Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller)) as T | undefined;
    const entityTag = metadata<EntityTagMetadata>(ENTITY_TAG);
    return {
      method,
      path,
      operation,
      credential: routeCredential(controller, handler) ?? noCredential,
      isLimited: metadata(RATE_LIMIT) !== undefined,
      bodyIsOptional: bodyClass(controller, name)?.bodyIsOptional ?? false,
      hasEntityTag: entityTag !== undefined,
      isCacheable: entityTag?.isCacheable ?? false,
      problems: metadata<ErrorCode[]>(API_PROBLEMS) ?? [],
    };
  }

  private add(controller: Controller): void {
    const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
    for (const name of new MetadataScanner().getAllMethodNames(controller.prototype as object)) {
      const handler = getHandler(controller, name);
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) continue;
      const path = `/${base}/${Reflect.getMetadata(PATH_METADATA, handler) as string}`
        .replaceAll(/\/+/g, '/')
        .replace(/(.)\/$/, '$1')
        .replaceAll(/:(\w+)/g, '{$1}');
      this.handlers.set(`${RequestMethod[method].toLowerCase()} ${path}`, { controller, name });
    }
  }
}

const getHandler = (controller: Controller, name: string): object =>
  (controller.prototype as Record<string, object>)[name]!;

/** Returns the class that the input pipe creates from the body. */
function bodyClass(controller: Controller, name: string): BodyClass | undefined {
  const inputs = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<
    string,
    unknown
  >;
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) as unknown[];
  const key = Object.keys(inputs).find((input) => input.startsWith(`${RouteParamtypes.BODY}:`));
  return key ? (types[Number(key.split(':')[1])] as BodyClass) : undefined;
}

/**
 * Returns all error codes that the route can respond with: its own codes, and the codes of guards, the input pipe and
 * the body parser. Errors that occur before routing are not included; the document's description lists them.
 */
export function problemCodes(route: DocumentedRoute): ErrorCode[] {
  const { credential, operation, problems } = route;
  const hasParameter = (name: string): boolean =>
    (operation.parameters ?? []).some((parameter) => 'name' in parameter && parameter.name === name);
  const codes: ErrorCode[] = [
    ...(operation.requestBody ? bodyProblems : []),
    'validation_failed',
    ...(hasParameter('cursor') ? (['invalid_cursor'] as const) : []),
    ...credentialProblems(credential),
    ...(isConsolePath(route.path) && route.method !== 'get' ? (['cross_site_request'] as const) : []),
    ...(route.path.includes('{') ? (['not_found'] as const) : []),
    ...(route.isLimited ? (['rate_limited'] as const) : []),
    ...(acceptsIdempotencyKey(route) ? idempotencyProblems : []),
    ...(acceptsIfMatch(route) ? (['precondition_failed'] as const) : []),
    ...problems,
    'overloaded',
    'internal_error',
    'unavailable',
  ];
  return [...new Set(codes)];
}

const bodyProblems: ErrorCode[] = [
  'invalid_json',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
];
const idempotencyProblems: ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

const operatorProblems: ErrorCode[] = [
  'multiple_credentials',
  'operator_session_required',
  'wrong_credential_type',
  'insufficient_role',
];

const reauthenticationProblems: Record<ReauthenticatedOperators, ErrorCode[]> = {
  all: ['factor_required', 'reauthentication_required'],
  enrolled: ['reauthentication_required'],
};

/** Returns the error codes of `CredentialGuard`, `OriginGuard` and the rate limit for secret keys. */
function credentialProblems(credential: RouteCredential): ErrorCode[] {
  const { kinds, scopes, access, reauthentication, requiresInstallationAccess } = credential;
  if (kinds.length === 0) return [];
  if (kinds.includes('operator'))
    return [
      ...operatorProblems,
      ...(requiresInstallationAccess ? (['installation_access_required'] as const) : []),
      ...(reauthentication ? reauthenticationProblems[reauthentication] : []),
    ];
  const acceptsSecretKey = kinds.includes('secret-key');
  return [
    'multiple_credentials',
    kinds.includes('access-token') ? 'invalid_access_token' : 'invalid_api_key',
    'wrong_credential_type',
    ...(acceptsSecretKey && scopes.length > 0 ? (['insufficient_scope'] as const) : []),
    ...(acceptsSecretKey && access === 'organization' ? (['insufficient_access'] as const) : []),
    ...(kinds.some((kind) => kind !== 'secret-key') ? (['origin_not_allowed'] as const) : []),
    ...(acceptsSecretKey ? (['rate_limited'] as const) : []),
  ];
}

/**
 * Returns true for every POST that accepts a secret key, alone or in addition to another credential, as
 * `IdempotencyService` does.
 */
export const acceptsIdempotencyKey = ({ method, path }: DocumentedRoute): boolean =>
  method === 'post' && !isConsolePath(path);

/** Returns true for every PATCH of a resource with an entity tag. */
export const acceptsIfMatch = ({ method, hasEntityTag }: DocumentedRoute): boolean =>
  method === 'patch' && hasEntityTag;

/** Returns true for every GET that can return 304. Express compares `If-None-Match` with the entity tag. */
export const acceptsIfNoneMatch = ({ method, isCacheable }: DocumentedRoute): boolean =>
  method === 'get' && isCacheable;
