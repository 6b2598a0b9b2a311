import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { AuthenticatedRequest } from '#auth';
import type { ErrorCode } from '#domain';
import { monotonicMs, newRequestId, type Logger } from '#platform';

/** What the house knows about a request beyond Express. */
export interface HouseRequest extends AuthenticatedRequest {
  requestId: string;
  /** The code of the problem that was answered, for the log. */
  problemCode?: ErrorCode;
}

const acceptableId = /^[A-Za-z0-9_-]{1,64}$/;

/** Gives each request its id and writes one line about it when it is over. */
export function requestContext(logger: Logger): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const house = request as HouseRequest;
    const given = request.headers['x-request-id'];
    house.requestId = typeof given === 'string' && acceptableId.test(given) ? given : newRequestId();
    response.setHeader('X-Request-Id', house.requestId);
    const started = monotonicMs();
    response.once('close', () => logRequest(logger, house, response, monotonicMs() - started));
    next();
  };
}

/** The route's pattern is logged, never the URL: a query can hold a token. */
function logRequest(logger: Logger, request: HouseRequest, response: Response, durationMs: number): void {
  const route = (request.route as { path?: string } | undefined)?.path ?? 'unmatched';
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
    projectId: caller?.kind === 'access-token' ? caller.customer.projectId : caller?.project.id,
    actor:
      caller?.kind === 'access-token' ? `customer:${caller.customer.id}` : caller && `key:${caller.keyId}`,
  };
  if (response.statusCode >= 500) logger.error(line, 'request');
  else logger.info(line, 'request');
}

/**
 * The address of the client: that of the connection, of `X-Forwarded-For` behind a trusted proxy, or of
 * `X-Client-IP` when a secret key with `customer:write` vouches for it (contract, section 3).
 */
export function clientIp(request: AuthenticatedRequest): string | null {
  const mayVouch = request.vouchingKey?.scopes.includes('customer:write') ?? false;
  const vouched = mayVouch ? plainAddress(request.get('x-client-ip')) : null;
  return vouched ?? plainAddress(request.ip) ?? plainAddress(request.socket.remoteAddress);
}

/** An address without the port that some proxies add, and an IPv4 address in its own form. */
function plainAddress(text: string | undefined): string | null {
  const bare = text?.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1') ?? '';
  return isIP(bare) === 0 ? null : ipaddr.process(bare).toString();
}

/** Who waits for the answer; `signal` is aborted when the connection closes. */
export function clientOf(request: AuthenticatedRequest): {
  ip: string | null;
  userAgent: string | null;
  signal: AbortSignal;
} {
  const gone = new AbortController();
  request.res?.once('close', () => gone.abort());
  return {
    ip: clientIp(request),
    userAgent: request.get('user-agent')?.slice(0, 512) ?? null,
    signal: gone.signal,
  };
}
