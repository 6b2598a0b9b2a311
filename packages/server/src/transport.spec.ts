import { createTransport } from './transport.js';

const problem = (code: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(
    JSON.stringify({ code, status, detail: 'Detail.', requestId: 'req_1', title: code, type: 'about:blank' }),
    {
      status,
      headers: { 'content-type': 'application/problem+json; charset=utf-8', ...headers },
    },
  );
const success = (): Response => Response.json({ id: 'cus' });
const noResponse = (): Response => {
  throw new TypeError('fetch failed');
};

/** Returns a transport that receives these responses, with its requests and its waits in ms. */
function simulate(...responses: (() => Response)[]) {
  const requests: { url: string; headers: Record<string, string>; body: unknown }[] = [];
  const waits: number[] = [];
  const transport = createTransport({
    url: 'https://auth.example.com',
    secretKey: 'sk_test',
    fetch: async (url, init) => {
      requests.push({
        url: url as string,
        headers: init!.headers as Record<string, string>,
        body: init!.body,
      });
      return responses.shift()!();
    },
    timing: { now: () => 0, wait: async (ms) => void waits.push(ms) },
  });
  return { transport, requests, waits };
}

it('retries at most twice: after no response, a short Retry-After, or a request in progress', async () => {
  const limited = () => problem('rate_limited', 429, { 'retry-after': '2' });
  const overloaded = () => problem('overloaded', 503, { 'retry-after': '5' });
  const inProgress = () => problem('idempotency_in_progress', 409);
  const cases: [(() => Response)[], number[], string][] = [
    [[success], [], 'done'],
    [[noResponse, success], [1_000], 'done'],
    [[limited, overloaded, success], [2_000, 5_000], 'done'],
    [[inProgress, success], [1_000], 'done'],
    [[limited, limited, limited], [2_000, 2_000], 'rate_limited'],
    [[noResponse, noResponse, noResponse], [1_000, 1_000], 'unavailable'],
    [[() => problem('rate_limited', 429, { 'retry-after': '6' })], [], 'rate_limited'],
    [[() => problem('unavailable', 503)], [], 'unavailable'],
    [[() => problem('conflict', 409, { 'retry-after': '1' })], [], 'conflict'],
    [[() => new Response('<html>', { status: 502 })], [], 'unavailable'],
    [[() => new Response('<html>', { status: 404 })], [], 'unexpected_response'],
  ];
  for (const [responses, waits, outcome] of cases) {
    const simulation = simulate(...responses);
    const result = await simulation.transport('POST', '/api/v1/customers', { body: {} }).then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
    expect([simulation.waits, result]).toEqual([waits, outcome]);
    const keys = new Set(simulation.requests.map(({ headers }) => headers['idempotency-key']));
    expect([keys.size, simulation.requests.length]).toEqual([1, waits.length + 1]);
  }
});

it('sends an Idempotency-Key, new or from the caller, with each POST but no other method', async () => {
  const { transport, requests } = simulate(success, success, success, success);
  await transport('POST', '/a');
  await transport('POST', '/a');
  await transport('POST', '/a', { idempotencyKey: 'order-1' });
  await transport('PATCH', '/a');
  const [first, second, third, fourth] = requests.map(({ headers }) => headers['idempotency-key']);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).not.toBe(first);
  expect([third, fourth]).toEqual(['order-1', undefined]);
});

it('encodes the parameters and the query, and rejects parameters that would change the path', async () => {
  const { transport, requests } = simulate(success);
  const options = {
    params: { id: 'a/b?c' },
    query: { email: 'a+b@c.d', cursor: undefined, q: null, limit: 2 },
  };
  await transport('GET', '/api/v1/customers/{id}', options);
  expect(requests[0]!.url).toBe(
    'https://auth.example.com/api/v1/customers/a%2Fb%3Fc?email=a%2Bb%40c.d&limit=2',
  );
  for (const id of ['', '.', '..', undefined as never])
    await expect(transport('DELETE', '/api/v1/customers/{id}', { params: { id } })).rejects.toThrow(
      TypeError,
    );
});

it('sends the ETag of a resource in If-Match, and rejects a resource without one', async () => {
  const withEtag = () => Response.json({ success: true, data: { id: 'ep' } }, { headers: { etag: '"7"' } });
  const { transport, requests } = simulate(withEtag, success, success);
  const { data } = (await transport('GET', '/v1/a')) as { data: object };
  await transport('PATCH', '/v1/a', { ifMatch: data });
  await transport('PATCH', '/v1/a', { ifMatch: '"8"' });
  expect(requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"7"', '"8"']);
  await expect(transport('PATCH', '/v1/a', { ifMatch: {} })).rejects.toThrow(TypeError);
});

it('throws an error with the problem, its fields and the request id', async () => {
  const body = {
    code: 'validation_failed',
    status: 400,
    detail: 'Wrong.',
    requestId: 'req_1',
    errors: [{ field: 'email' }],
  };
  const response = () =>
    new Response(JSON.stringify(body), {
      status: 400,
      headers: { 'content-type': 'application/problem+json' },
    });
  await expect(simulate(response).transport('GET', '/a')).rejects.toMatchObject({
    name: 'GatehouseError',
    message: 'validation_failed: Wrong. (request req_1)',
    code: 'validation_failed',
    status: 400,
    fields: [{ field: 'email' }],
    requestId: 'req_1',
    retryAfter: null,
    problem: body,
  });
});

it('sends no further request after the caller aborts the call', async () => {
  const controller = new AbortController();
  const { transport, requests } = simulate(() => {
    controller.abort();
    return noResponse();
  });
  await expect(transport('GET', '/a', { signal: controller.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(requests).toHaveLength(1);
});
