import type { IncomingMessage } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { LRUCache } from 'lru-cache';
import { normalizeUrl } from '@gatehouse/domain';
import type { Agents } from './filtered-agents.js';
import type { HttpTransport } from './http-transport.js';
import type { OutboundRequest, RequestSender } from './request-sender.js';

/** Thrown when a request is canceled, with the same `code` as in axios. */
class CanceledRequestError extends Error {
  readonly code = 'ERR_CANCELED';

  constructor() {
    super('canceled');
  }
}

/**
 * Sends requests with `node:http` and `node:https`, which need less than half as much CPU time as axios
 * (docs/adr/0115-delivery-requests.md).
 */
export class NodeSender implements RequestSender {
  /** The options for the latest URLs, because an endpoint has the same URL in every attempt. */
  private readonly targets = new LRUCache<string, ReturnType<typeof urlToHttpOptions>>({
    max: 1_000,
    memoMethod: (url) => urlToHttpOptions(new URL(normalizeUrl(url))),
  });

  send(
    { method, url, headers, body }: OutboundRequest,
    { httpAgent, httpsAgent }: Agents,
    transport: HttpTransport,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const target = this.targets.memo(url);
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(new CanceledRequestError());
        return;
      }
      let response: IncomingMessage | undefined;
      const options = {
        ...target,
        method,
        agent: target.protocol === 'https:' ? httpsAgent : httpAgent,
        headers: {
          accept: 'application/json, text/plain, */*',
          'accept-encoding': 'identity',
          ...headers,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      };
      const request = transport.request(options, (received) => resolve((response = received)));
      const cancel = (): unknown => (response ?? request).destroy(new CanceledRequestError());
      signal.addEventListener('abort', cancel, { once: true });
      request.on('error', reject).end(body);
    });
  }
}
