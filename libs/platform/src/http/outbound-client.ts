import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { targetUrlProblem, type TargetPolicy } from '@gatehouse/domain';
import { errorCode } from '../runtime/errors.js';
import { AxiosSender } from './axios-sender.js';
import { BlockedAddressError } from './blocked-address.error.js';
import { Deadline } from './deadline.js';
import { createFilteredAgents, type Agents } from './filtered-agents.js';
import { guardedAgents } from './guarded-agents.js';
import { guardedLookup } from './guarded-lookup.js';
import { HttpTransport } from './http-transport.js';
import { NameResolver } from './name-resolver.js';
import { NodeSender } from './node-sender.js';
import { OutboundRequestError } from './outbound-request.error.js';
import { OutboundResponse } from './outbound-response.js';
import type { OutboundRequest, RequestSender } from './request-sender.js';
import { RequestTimeoutError } from './request-timeout.error.js';
import { ResponseFilter } from './response-filter.js';

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
  private constructor(
    private readonly sender: RequestSender,
    private readonly reusingAgents: Agents,
    private readonly freshAgents: Agents,
    private readonly isAllowedUrl: (url: string) => boolean,
    private readonly timeoutMs: number,
  ) {}

  /** Creates a client for URLs that tenants have configured. The target policy applies to every request. */
  static forTenantTargets(targets: TenantTargets): OutboundClient {
    return OutboundClient.createGuarded(new AxiosSender(), targets);
  }

  /** Creates a client for webhooks. It works like `forTenantTargets`, but needs less CPU time (ADR 0115). */
  static forDeliveries(targets: TenantTargets): OutboundClient {
    return OutboundClient.createGuarded(new NodeSender(), targets);
  }

  private static createGuarded(sender: RequestSender, targets: TenantTargets): OutboundClient {
    const { policy, dnsServers, timeoutMs } = targets;
    // Half of the time limit, so that a silent name server can be distinguished from a silent target.
    const resolver = new NameResolver(dnsServers, timeoutMs / 2);
    const createAgents = (isReused: boolean): Agents =>
      guardedAgents(policy, guardedLookup(policy, resolver), isReused);
    return new OutboundClient(
      sender,
      createAgents(true),
      createAgents(false),
      allowedUrls(policy),
      timeoutMs,
    );
  }

  /**
   * Creates a client for URLs in the installation's settings. It connects to any address, including private ones, and
   * uses the system resolver, which can resolve internal service names. Never use it for other URLs.
   * @param timeoutMs a request's time limit, in ms
   */
  static forOperatorTargets(timeoutMs: number): OutboundClient {
    return new OutboundClient(
      new AxiosSender(),
      createFilteredAgents(true),
      createFilteredAgents(false),
      () => true,
      timeoutMs,
    );
  }

  /**
   * Sends a request and returns the response once its status and headers have arrived.
   * @throws Error with a `code`: `ERR_BLOCKED_ADDRESS`, `ERR_NO_ADDRESS`, `ERR_REQUEST_TIMEOUT`,
   * `ERR_INTERIM_RESPONSE`, `ERR_MALFORMED_RESPONSE`, `ERR_CANCELED` if the signal aborts, or a Node.js code. It
   * contains neither the headers nor the body of the request
   */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    await this.sender.load?.();
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
      response.once('close', end);
      const filter = ResponseFilter.find(response.socket);
      return new OutboundResponse(response.statusCode!, transport.headers, response, filter, toSafeError);
    } catch (error) {
      end();
      throw toSafeError(error);
    }
  }

  /** Sends a request, and repeats it if its connection was stale. */
  private async send(
    request: OutboundRequest,
    transport: HttpTransport,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { method, reuseConnection = method === 'GET' } = request;
    const sendWith = (agents: Agents): Promise<IncomingMessage> =>
      this.sender.send(request, agents, transport, signal);
    if (!reuseConnection) return sendWith(this.freshAgents);
    if (method === 'GET') await checkIdleConnections();
    return sendWith(this.reusingAgents).catch((error: unknown) => {
      if (signal.aborted || !transport.isStale) throw error;
      return sendWith(this.freshAgents);
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
