import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { AuthenticatedRequest } from '@gatehouse/auth';
import { isUuid, type ErrorCode } from '@gatehouse/domain';
import { monotonicMs, newRandomId, type ApiMetrics, type Logger } from '@gatehouse/platform';
import { addressBlock, normalizeAddress } from './client-address.js';

/** A request with what Gatehouse adds to it. */
export interface GatehouseRequest extends AuthenticatedRequest {
  requestId: string;
  /** The code of the problem that was answered, for the log. */
  problemCode?: ErrorCode;
  /** The customer whom a request turned out to be about, for the log. */
  customerId?: string;
  /** The operator whose session it holds, or whose password it tried, where no caller is known; for the log as well. */
  operatorId?: string;
  /** Their project, where no credential names it. */
  projectId?: string;
  /** The address of whoever sent it, once it has been asked for. */
  callerIp?: string | null;
}

const requestIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Gives each request its id, and measures it and writes one line about it when it is over. */
export function requestContext(logger: Logger, metrics: ApiMetrics | null): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const current = request as GatehouseRequest;
    const given = request.headers['x-request-id'];
    current.requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : newRandomId();
    response.setHeader('X-Request-Id', current.requestId);
    const started = monotonicMs();
    response.once('close', () => {
      const durationMs = monotonicMs() - started;
      const status = response.writableFinished ? response.statusCode : null;
      metrics?.recordRequest(routePattern(current), current.method, status, durationMs);
      logRequest(logger, current, response, durationMs);
    });
    next();
  };
}

/** The pattern that matched. It is what is logged and counted, never the URL: a query can hold a token. */
const routePattern = ({ route }: GatehouseRequest): string | null =>
  (route as { path?: string } | undefined)?.path ?? null;

function logRequest(logger: Logger, request: GatehouseRequest, response: Response, durationMs: number): void {
  const route = routePattern(request) ?? 'unmatched';
  if (route === '/livez' || route === '/readyz') return;
  const { caller } = request;
  const line = {
    requestId: request.requestId,
    method: request.method,
    route,
    status: response.writableFinished ? response.statusCode : 499,
    code: request.problemCode,
    durationMs: Math.round(durationMs * 10) / 10,
    ip: clientIp(request),
    projectId:
      caller?.kind === 'access-token'
        ? caller.customer.projectId
        : (caller?.project?.id ?? request.projectId),
    actor: logActor(request),
    customerId: request.customerId ?? customerInPath(request),
  };
  if (response.statusCode >= 500) logger.error(line, 'request');
  else logger.info(line, 'request');
}

/** Nothing but an id: in its place could stand a token (requirement LG-01). */
function customerInPath({ params }: GatehouseRequest): string | undefined {
  const id = params?.['customerId'];
  return typeof id === 'string' && isUuid(id) ? id : undefined;
}

/** Who acted (requirement LG-03). A refresh token alone says whose it is. */
function logActor({ caller, customerId, operatorId }: GatehouseRequest): string | undefined {
  if (caller?.kind === 'access-token') return `customer:${caller.customer.id}`;
  if (caller?.kind === 'operator') return `operator:${caller.operatorId}`;
  if (caller) return `key:${caller.keyId}`;
  if (operatorId) return `operator:${operatorId}`;
  return customerId && `customer:${customerId}`;
}

/**
 * The address of the client: that of the connection, of `X-Forwarded-For` behind a trusted proxy, or of
 * `X-Client-IP` when a secret key with `customer:write` vouches for it (contract, section 3).
 */
export function clientIp(request: AuthenticatedRequest): string | null {
  return vouchedIp(request) ?? callerIp(request);
}

function vouchedIp(request: AuthenticatedRequest): string | null {
  const mayVouch = request.accompanyingSecretKey?.scopes.includes('customer:write') ?? false;
  return mayVouch ? normalizeAddress(request.get('x-client-ip')) : null;
}

/** The address of whoever sent the request, whomever they vouch for. */
export function callerIp(request: AuthenticatedRequest): string | null {
  const current = request as GatehouseRequest;
  // Behind a trusted proxy, Express parses X-Forwarded-For each time.
  current.callerIp ??= normalizeAddress(request.ip) ?? normalizeAddress(request.socket.remoteAddress);
  return current.callerIp;
}

/** What the client says that it is, at a length that can be kept. */
export const getUserAgent = (request: AuthenticatedRequest): string | null =>
  request.get('user-agent')?.slice(0, 512) ?? null;

/** Who waits for the answer. */
export interface Client {
  ip: string | null;
  /** What counts as one client, and is remembered as an address of the customer; null when it is not known. */
  addressBlock: string | null;
  userAgent: string | null;
  /** Of the page that asks, if it is one. */
  origin: string | undefined;
  /** Aborted when the connection closes. */
  signal: AbortSignal;
}

/** The client of a request. */
export function getClient(request: AuthenticatedRequest): Client {
  const gone = new AbortController();
  request.res?.once('close', () => gone.abort());
  const ip = clientIp(request);
  // Of a server that does not say, or not legibly, for whom it calls, only its own address is known.
  const isServer = request.accompanyingSecretKey !== undefined && vouchedIp(request) === null;
  return {
    ip,
    addressBlock: ip && !isServer ? addressBlock(ip) : null,
    userAgent: getUserAgent(request),
    origin: request.get('origin'),
    signal: gone.signal,
  };
}
