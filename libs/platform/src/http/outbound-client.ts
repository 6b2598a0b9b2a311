import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AxiosInstance, AxiosResponse } from 'axios';
import { LRUCache } from 'lru-cache';
import { normalizeUrl, targetUrlProblem, type TargetPolicy } from '@gatehouse/domain';
import { errorCode } from '../runtime/errors.js';
import { BlockedAddressError } from './blocked-address.error.js';
import { Deadline } from './deadline.js';
import { createFilteredAgents, type Agents } from './filtered-agents.js';
import { guardedAgents } from './guarded-agents.js';
import { guardedLookup } from './guarded-lookup.js';
import { HttpTransport } from './http-transport.js';
import { NameResolver } from './name-resolver.js';
import { OutboundRequestError } from './outbound-request.error.js';
import { OutboundResponse } from './outbound-response.js';
import { RequestTimeoutError } from './request-timeout.error.js';
import { ResponseFilter } from './response-filter.js';

export interface OutboundRequest {
  method: 'GET' | 'POST';
  url: string;
  /** A request with a body requires a `content-type`. */
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Cancels the request when it aborts. */
  signal?: AbortSignal;
  /**
   * True to allow a kept-alive connection (default: only for GET). If it is closed before the first response byte, the
   * request is repeated once on a new connection, so the server may receive it twice.
   */
  reuseConnection?: boolean;
}

/** The configuration of a client for URLs that tenants have configured. */
export interface TenantTargets {
  policy: TargetPolicy;
  /** The name servers; empty for the system's name servers. */
  dnsServers: string[];
  /** A request's time limit, in ms. */
  timeoutMs: number;
}

/**
 * The HTTP client for all requests that Gatehouse sends (docs/adr/0026-outbound-http.md). One time limit covers a
 * request from the host lookup to the end of the response. The client does not follow redirects, use a proxy or store
 * cookies, and requests unencoded responses. Every status is a response, not an error. The work for one response is
 * bounded regardless of what the server sends (docs/adr/0086-tolerant-response-heads.md).
 *
 * The addresses to which a client can connect depend on who configured the URL, so each client is created either for
 * tenants or for operators.
 */
export class OutboundClient {
  private axios: AxiosInstance | undefined;

  private constructor(
    private readonly reusingAgents: Agents,
    private readonly freshAgents: Agents,
    private readonly isAllowedUrl: (url: string) => boolean,
    private readonly timeoutMs: number,
  ) {}

  /** Creates a client for URLs that tenants have configured. The target policy applies to every request. */
  static forTenantTargets({ policy, dnsServers, timeoutMs }: TenantTargets): OutboundClient {
    // Half of the time limit, so that a silent name server can be distinguished from a silent target.
    const resolver = new NameResolver(dnsServers, timeoutMs / 2);
    const createAgents = (isReused: boolean): Agents =>
      guardedAgents(policy, guardedLookup(policy, resolver), isReused);
    return new OutboundClient(createAgents(true), createAgents(false), allowedUrls(policy), timeoutMs);
  }

  /**
   * Creates a client for URLs in the installation's settings. It connects to any address, including private ones, and
   * uses the system resolver, which can resolve internal service names. Never use it for other URLs.
   * @param timeoutMs a request's time limit, in ms
   */
  static forOperatorTargets(timeoutMs: number): OutboundClient {
    return new OutboundClient(createFilteredAgents(true), createFilteredAgents(false), () => true, timeoutMs);
  }

  /** Loads axios, so that the first request does not have to. A process that sends no requests never loads it. */
  async load(): Promise<void> {
    if (this.axios) return;
    const { default: axios } = await import('axios');
    this.axios ??= axios.create({
      responseType: 'stream',
      maxRedirects: 0,
      decompress: false,
      proxy: false,
      validateStatus: () => true,
      transformRequest: [(data: unknown) => data],
    });
  }

  /**
   * Sends a request and returns the response once its status and headers have arrived.
   * @throws Error with a `code`: `ERR_BLOCKED_ADDRESS`, `ERR_NO_ADDRESS`, `ERR_REQUEST_TIMEOUT`,
   * `ERR_INTERIM_RESPONSE`, `ERR_MALFORMED_RESPONSE`, `ERR_CANCELED` if the signal aborts, or a Node.js code. It
   * contains neither the headers nor the body of the request
   */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    await this.load();
    // A stored URL may be older than the current policy.
    if (!this.isAllowedUrl(request.url)) throw new BlockedAddressError(request.url);
    const { signal } = request;
    const transport = new HttpTransport();
    const deadline = new Deadline(this.timeoutMs, () => transport.stopPausing());
    const end = (): void => {
      deadline.clear();
      signal?.removeEventListener('abort', deadline.abort);
    };
    if (signal?.aborted) deadline.abort();
    else signal?.addEventListener('abort', deadline.abort);
    const toSafeError = (failure: unknown): Error =>
      deadline.isExpired && errorCode(failure) === 'ERR_CANCELED'
        ? new RequestTimeoutError(this.timeoutMs)
        : new OutboundRequestError(failure);
    try {
      const response = await this.send(request, transport, deadline.signal);
      response.data.once('close', end);
      const { status, data } = response;
      const filter = ResponseFilter.find(data.socket);
      return new OutboundResponse(status, transport.headers, data, filter, toSafeError);
    } catch (error) {
      end();
      throw toSafeError(error);
    }
  }

  /** Sends a request, and repeats it if its connection was stale. */
  private async send(
    { method, url, headers, body, reuseConnection = method === 'GET' }: OutboundRequest,
    transport: HttpTransport,
    signal: AbortSignal,
  ): Promise<AxiosResponse<IncomingMessage>> {
    const request = (agents: Agents): Promise<AxiosResponse<IncomingMessage>> =>
      this.axios!.request({
        httpAgent: agents.httpAgent,
        httpsAgent: agents.httpsAgent,
        transport,
        method,
        // axios would convert the host with the Node.js tables (ADR 0099).
        url: normalizeUrl(url),
        headers: { 'accept-encoding': 'identity', ...headers },
        data: body,
        signal,
      });
    if (!reuseConnection) return request(this.freshAgents);
    if (method === 'GET') await checkIdleConnections();
    return request(this.reusingAgents).catch((error: unknown) => {
      if (signal.aborted || !transport.isStale) throw error;
      return request(this.freshAgents);
    });
  }
}

/** Creates a URL check with a cache, because an endpoint has the same URL in every attempt. */
function allowedUrls(policy: TargetPolicy): (url: string) => boolean {
  const checked = new LRUCache<string, boolean>({ max: 10_000 });
  return (url) => {
    const cached = checked.get(url);
    if (cached !== undefined) return cached;
    const isAllowed = targetUrlProblem(url, policy) === null;
    checked.set(url, isAllowed);
    return isAllowed;
  };
}

/**
 * Waits one complete event loop turn, in which idle connections that have received bytes are closed. Used only before a
 * GET, because its response can decide a sign-in. Before a webhook, the wait would only cost time (ADR 0086).
 */
async function checkIdleConnections(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
