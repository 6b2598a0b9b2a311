import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { AuthenticatedRequest } from '@gatehouse/auth';
import { isUuid, type ErrorCode, type ExchangeTarget } from '@gatehouse/domain';
import type { SignInFlow } from '@gatehouse/persistence';
import {
  bindToTrace,
  monotonicMs,
  newRandomId,
  tracing,
  type ApiMetrics,
  type Logger,
  type Span,
} from '@gatehouse/platform';
import type { CountedRequest } from './limits/address-limit.js';
import { addressBlock, normalizeAddress } from './client-address.js';
import type { RequestHold } from './bodies/request-hold.js';

/** A request with the fields that Gatehouse adds. */
export interface GatehouseRequest extends AuthenticatedRequest {
  requestId: string;
  /** The response's error code, for the log. */
  problemCode?: ErrorCode;
  /** The customer that the request concerns, for the log. */
  customerId?: string;
  /** The operator in the session or sign-in attempt, if there is no caller, for the log. */
  operatorId?: string;
  /** The customer's project, if no credential identifies it, for the log. */
  projectId?: string;
  /** Set if the route has a limit, and the request has no credential that identifies a project. */
  counted?: CountedRequest | undefined;
  /** The sender's IP, cached by `callerIp`. */
  callerIp?: string | null;
  /** The body as it was sent, for custom events only. */
  rawBody?: Buffer | undefined;
  /** Memory reserved for the request. Undefined for health probes. */
  memory?: RequestHold;
}

const requestIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Returns middleware that assigns each request its id, and records its metrics, its span and one log entry when
 * it ends.
 */
export function requestContext(logger: Logger, metrics: ApiMetrics | null): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const current = request as GatehouseRequest;
    const given = request.headers['x-request-id'];
    current.requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : newRandomId();
    response.setHeader('X-Request-Id', current.requestId);
    const started = monotonicMs();
    const span = startSpan(current);
    const handle = (): void => {
      const finish = (): void => {
        const durationMs = monotonicMs() - started;
        const status = response.writableFinished ? response.statusCode : null;
        metrics?.recordRequest(routePattern(current), current.method, status, durationMs);
        logRequest(logger, current, response, durationMs);
        if (span) endSpan(span, current, status);
      };
      response.once('close', bindToTrace(finish));
      next();
    };
    if (span) tracing!.runIn(span, handle);
    else handle();
  };
}

/** Starts a request's span. Returns null for a monitoring route, or if the process records no traces. */
const startSpan = ({ path, method, headers }: Request): Span | null =>
  tracing && !probedRoutes.has(path) ? tracing.startRequest(method, headers['traceparent']) : null;

/**
 * Ends a request's span. Omits `url.path`, which the semantic conventions include, because a path can
 * contain a token.
 */
function endSpan(span: Span, request: GatehouseRequest, status: number | null): void {
  const route = routePattern(request);
  if (route) span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
  span.setAttributes({ 'url.scheme': request.protocol, 'gatehouse.request_id': request.requestId });
  const projectId = findProjectId(request);
  if (projectId) span.setAttribute('gatehouse.project_id', projectId);
  // Without a status, the client disconnected before the response.
  if (status !== null) span.setAttribute('http.response.status_code', status);
  if (status !== null && status >= 500) tracing!.fail(span, request.problemCode ?? String(status));
  span.end();
}

/**
 * Returns the matched route pattern. Logs and metrics contain the pattern and never the URL, because a query
 * can contain a token.
 */
const routePattern = ({ route }: GatehouseRequest): string | null =>
  (route as { path?: string } | undefined)?.path ?? null;

/**
 * The routes whose responses are never logged. The `/readyz` responses change only on start and stop, which are
 * logged elsewhere.
 */
const healthRoutes = new Set(['/livez', '/readyz']);

/** The routes that monitoring systems request every few seconds. */
const probedRoutes = new Set([...healthRoutes, '/healthz', '/metrics', '/metrics/webhook-worker']);

export const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** Returns true for a monitoring request. */
export const isProbe = ({ path }: Request): boolean => probedRoutes.has(path);

function logRequest(logger: Logger, request: GatehouseRequest, response: Response, durationMs: number): void {
  const route = routePattern(request) ?? 'unmatched';
  const status = response.writableFinished ? response.statusCode : 499;
  if (healthRoutes.has(route) || (probedRoutes.has(route) && status < 400)) return;
  const logFields = {
    requestId: request.requestId,
    method: request.method,
    route,
    status,
    code: request.problemCode,
    durationMs: Math.round(durationMs * 10) / 10,
    ip: clientIp(request),
    projectId: findProjectId(request),
    actor: logActor(request),
    customerId: request.customerId ?? customerInPath(request),
  };
  if (response.statusCode >= 500) logger.error(logFields, 'request');
  else logger.info(logFields, 'request');
}

const findProjectId = ({ caller, projectId }: GatehouseRequest): string | undefined =>
  caller?.kind === 'access-token' ? caller.customer.projectId : (caller?.project?.id ?? projectId);

/**
 * Returns the customer id in the path. Ignores anything but a UUID, because the segment could contain a token
 * (requirement LG-01).
 */
function customerInPath({ params }: GatehouseRequest): string | undefined {
  const id = params?.['customerId'];
  return typeof id === 'string' && isUuid(id) ? id : undefined;
}

/**
 * Returns the request's actor (requirement LG-03). A refresh token without another credential identifies its
 * customer.
 */
function logActor({ caller, customerId, operatorId }: GatehouseRequest): string | undefined {
  if (caller?.kind === 'access-token') return `customer:${caller.customer.id}`;
  if (caller?.kind === 'operator') return `operator:${caller.operatorId}`;
  if (caller) return `key:${caller.keyId}`;
  if (operatorId) return `operator:${operatorId}`;
  return customerId && `customer:${customerId}`;
}

/**
 * Returns the client IP: from the connection, from `X-Forwarded-For` behind a trusted proxy, or from `X-Client-IP`
 * when a secret key with `customer:write` vouches for it (contract, section 3).
 */
export function clientIp(request: AuthenticatedRequest): string | null {
  return clientIpFromHeader(request) ?? callerIp(request);
}

function clientIpFromHeader(request: AuthenticatedRequest): string | null {
  const mayVouch = request.accompanyingSecretKey?.scopes.includes('customer:write') ?? false;
  return mayVouch ? normalizeAddress(request.get('x-client-ip')) : null;
}

/** Returns the request sender's IP, even if the sender vouches for another client. */
export function callerIp(request: AuthenticatedRequest): string | null {
  const current = request as GatehouseRequest;
  // Behind a trusted proxy, Express parses X-Forwarded-For each time.
  current.callerIp ??= normalizeAddress(request.ip) ?? normalizeAddress(request.socket.remoteAddress);
  return current.callerIp;
}

/** Returns the user agent, truncated to a length that can be stored. */
export const getUserAgent = (request: AuthenticatedRequest): string | null =>
  request.get('user-agent')?.slice(0, 512) ?? null;

/** The client that sent a request. */
export interface Client {
  ip: string | null;
  /**
   * The block that counts as one client, and is stored as one of the customer's known client IPs; null if it is
   * unknown.
   */
  addressBlock: string | null;
  userAgent: string | null;
  /** The requesting page's origin, if a page sent the request. */
  origin: string | undefined;
  counted?: CountedRequest | undefined;
  /** Aborted when the connection closes. */
  signal: AbortSignal;
  /**
   * Set for the hosted sign-in page, on which a sign-in ends with a code for the application instead of a
   * session.
   */
  page?: SignInPageClient;
}

/** The hosted sign-in page through which a client signs in. */
export interface SignInPageClient {
  target: ExchangeTarget;
  /** The flow that the page continues; null if it has begun none, or its flow has ended. */
  flow: SignInFlow | null;
}

/** The hash for a page without a flow. */
const NO_FLOW = Buffer.alloc(0);

/**
 * Returns the hash of the flow that a client's challenges and email codes are bound to; null in the API. A page
 * without a flow can use no challenges and no email codes, not even those from the API.
 */
export const flowHashOf = ({ page }: Pick<Client, 'page'>): Buffer | null =>
  page ? (page.flow?.secretHash ?? NO_FLOW) : null;

/**
 * The client properties that are checked when a link in an email is used: the project must allow the origin, and its
 * limits apply to the request.
 */
export type LinkClient = Pick<Client, 'origin' | 'counted'>;

/** Returns a request's client. */
export function getClient(request: AuthenticatedRequest): Client {
  const abortController = new AbortController();
  request.res?.once('close', () => abortController.abort());
  const ip = clientIp(request);
  // If a server sends no valid client IP, only the server's own address is known.
  const isServer = request.accompanyingSecretKey !== undefined && clientIpFromHeader(request) === null;
  return {
    ip,
    addressBlock: ip && !isServer ? addressBlock(ip) : null,
    userAgent: getUserAgent(request),
    origin: request.get('origin'),
    counted: (request as GatehouseRequest).counted,
    signal: abortController.signal,
  };
}

/** Adds the customer, if any, to the request's log line (requirement LG-03). */
export function setLoggedCustomer<Response extends { customer: { id: string } | null }>(
  response: Response,
  request: GatehouseRequest,
): Response {
  if (response.customer) request.customerId = response.customer.id;
  return response;
}
