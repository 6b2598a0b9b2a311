import type { INestApplication } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer } from '@nestjs/core';
import type { OperationObject } from '@nestjs/swagger';
import { routeCredential, type RouteCredential } from '#auth';
import type { ErrorCode } from '#domain';
import { API_PROBLEMS } from '../http/api-problems.js';
import { isForConsole } from '../http/console-request.js';
import type { BodyClass } from '../http/input.pipe.js';
import { RATE_LIMIT } from '../http/rate-limit.js';

/** A route as its documentation sees it: what the guards and pipes read of its handler. */
export interface DocumentedRoute {
  method: string;
  path: string;
  operation: OperationObject;
  credential: RouteCredential;
  isLimited: boolean;
  bodyIsOptional: boolean;
  /** Of `@ApiProblems`. */
  problems: ErrorCode[];
}

type Controller = new (...args: never[]) => object;

const nobody: RouteCredential = { kinds: [], scopes: [], access: 'project' };

/** How a handler is named until it gets its id for clients; unlike that, this can be taken apart. */
export const handlerName = (controller: string, method: string): string => `${controller}.${method}`;

/** Finds the routes of an app's controllers by `handlerName`. */
export class RouteReader {
  private readonly controllers: Map<string, Controller>;

  constructor(app: INestApplication) {
    const modules = [...app.get(ModulesContainer).values()];
    const classes = modules.flatMap(({ controllers }) =>
      [...controllers.values()].map(({ metatype }) => metatype as Controller),
    );
    this.controllers = new Map(classes.map((controller) => [controller.name, controller]));
  }

  read(method: string, path: string, operation: OperationObject): DocumentedRoute {
    const [className = '', name = ''] = operation.operationId!.split('.');
    const controller = this.controllers.get(className)!;
    const handler = (controller.prototype as Record<string, object>)[name]!;
    const metadata = <T>(key: symbol): T | undefined =>
      (Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller)) as T | undefined;
    return {
      method,
      path,
      operation,
      credential: routeCredential(controller, handler) ?? nobody,
      isLimited: metadata(RATE_LIMIT) !== undefined,
      bodyIsOptional: bodyClass(controller, name)?.bodyIsOptional ?? false,
      problems: metadata<ErrorCode[]>(API_PROBLEMS) ?? [],
    };
  }
}

/** The class that the input pipe makes of a handler's body. */
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
 * Every error that the route can be answered with: its own, and what the guards, the input pipe and the reading of
 * bodies refuse. Before a route is found there are more; the document's description names those.
 */
export function problemCodes(route: DocumentedRoute): ErrorCode[] {
  const { credential, operation, problems } = route;
  const takes = (name: string): boolean =>
    (operation.parameters ?? []).some((parameter) => 'name' in parameter && parameter.name === name);
  const codes: ErrorCode[] = [
    ...(operation.requestBody ? bodyProblems : []),
    'validation_failed',
    ...(takes('cursor') ? (['invalid_cursor'] as const) : []),
    ...credentialProblems(credential),
    ...(isForConsole(route.path) && route.method !== 'get' ? (['cross_site_request'] as const) : []),
    ...(route.path.includes('{') ? (['not_found'] as const) : []),
    ...(route.isLimited ? (['rate_limited'] as const) : []),
    ...(takesIdempotencyKey(route) ? idempotencyProblems : []),
    ...problems,
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

/** Of `CredentialGuard`, `OriginGuard` and the limit of secret keys. */
function credentialProblems({ kinds, scopes, access }: RouteCredential): ErrorCode[] {
  if (kinds.length === 0) return [];
  if (kinds.includes('operator')) return operatorProblems;
  const takesSecret = kinds.includes('secret-key');
  return [
    'multiple_credentials',
    kinds.includes('access-token') ? 'invalid_access_token' : 'invalid_api_key',
    'wrong_credential_type',
    ...(takesSecret && scopes.length > 0 ? (['insufficient_scope'] as const) : []),
    ...(takesSecret && access === 'organization' ? (['insufficient_access'] as const) : []),
    ...(kinds.some((kind) => kind !== 'secret-key') ? (['origin_not_allowed'] as const) : []),
    ...(takesSecret ? (['rate_limited'] as const) : []),
  ];
}

/** Every POST that a secret key can come with, if only beside another credential, as `Idempotency` reads it. */
export const takesIdempotencyKey = ({ method, path }: DocumentedRoute): boolean =>
  method === 'post' && !isForConsole(path);
