import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { serve } from './child.js';

/** An event's cause: a change to a customer, or a custom event. */
export type Publication = 'patch' | 'custom';

/** A customer and the project's secret key. */
export interface PublishTarget {
  secretKey: string;
  customerId: string;
}

export interface Publishing {
  baseUrl: string;
  publication: Publication;
  /** Used in turn. */
  targets: PublishTarget[];
}

/** A fixed number of requests by publishers that each wait for their response. */
export interface ClosedLoop extends Publishing {
  publishers: number;
  total: number;
}

/** Requests at scheduled times, without waiting for earlier responses. */
export interface OpenLoop extends Publishing {
  perSecond: number;
  seconds: number;
}

/** The time of each successful response, in ms since 1970, by its mark. */
export type Responses = [mark: string, at: number][];

interface PublishRequest {
  mark: string;
  method: 'PATCH' | 'POST';
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Makes the body of a custom event about as long as the body that reports a customer update. */
const FILLER = 'x'.repeat(400);

let lastMark = 0;

/** Returns the next request. The event contains its mark: as a last name, or as a data field. */
function nextRequest({ publication, targets }: Publishing): PublishRequest {
  lastMark += 1;
  const mark = `bench-${lastMark}`;
  const { secretKey, customerId } = targets[lastMark % targets.length]!;
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
  if (publication === 'patch') {
    const body = JSON.stringify({ lastName: mark });
    return { mark, method: 'PATCH', path: `/api/v1/customers/${customerId}`, headers, body };
  }
  const body = JSON.stringify({ type: 'app.order.paid', data: { mark, text: FILLER } });
  return { mark, method: 'POST', path: '/v1/events', headers, body };
}

/** @throws Error if a request failed */
async function publishAll(loop: ClosedLoop): Promise<void> {
  const setupRequest = (spec: autocannon.Request) => ({ ...spec, ...nextRequest(loop) });
  const { non2xx, errors, timeouts } = await autocannon({
    url: loop.baseUrl,
    connections: loop.publishers,
    amount: loop.total,
    setupClient: (client) => client.setRequests([{ setupRequest }]),
  });
  const failed = non2xx + errors + timeouts;
  if (failed > 0) throw new Error(`${failed} of ${loop.total} requests failed`);
}

/** @throws Error if a request failed */
async function publishSteadily(loop: OpenLoop): Promise<Responses> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const began = performance.now();
  const responses: Promise<[string, number]>[] = [];
  for (let index = 0; index < loop.perSecond * loop.seconds; index += 1) {
    const early = began + (index * 1_000) / loop.perSecond - performance.now();
    if (early > 0) await sleep(early);
    responses.push(send(agent, loop.baseUrl, nextRequest(loop)));
  }
  try {
    return await Promise.all(responses);
  } finally {
    agent.destroy();
  }
}

function send(agent: Agent, baseUrl: string, spec: PublishRequest): Promise<[string, number]> {
  const { mark, method, path, headers, body } = spec;
  return new Promise((resolve, reject) => {
    const length = String(Buffer.byteLength(body));
    const options = { method, agent, headers: { ...headers, 'content-length': length } };
    request(baseUrl + path, options, (response) => {
      response.resume().once('end', () => {
        const at = performance.timeOrigin + performance.now();
        if (response.statusCode! < 300) resolve([mark, at]);
        else reject(new Error(`${method} ${path} returned ${response.statusCode}`));
      });
    })
      .once('error', reject)
      .end(body);
  });
}

serve({ publishAll, publishSteadily });
