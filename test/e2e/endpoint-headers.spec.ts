import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver } from '../support/receiver.js';

const base = '/v1/webhooks/endpoints';
const url = 'https://example.com/hook';

let instance: TestInstance;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
  instance = await TestInstance.shared();
});
afterEach(() => instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`));
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

const create = (body: object) => instance.server('POST', base, { url, ...body });
const patch = (id: string, headers: unknown) => instance.server('PATCH', `${base}/${id}`, { headers });

/** The headers of the next request, which a test event brings. */
async function sent(id: string): Promise<Record<string, unknown>> {
  const before = receiver.requests.length;
  await instance.server('POST', `${base}/${id}/test`);
  return eventually('a request', () => receiver.requests[before]?.headers);
}

describe("an endpoint's own headers", () => {
  it('are sent with every delivery, and never shown, logged or stored in the clear', async () => {
    const headers = { Authorization: 'Bearer topsecretvalue', 'X-Env': 'staging (eu)', 'x-a': '!' };
    const made = (await create({ url: receiver.url, headers })).body.data;
    const hidden = { authorization: '…', 'x-env': '…', 'x-a': '…' };
    expect(made.headers).toEqual(hidden);
    const shown = await instance.server('GET', `${base}/${made.id}`);
    expect(shown.body.data.headers).toEqual(hidden);

    const tested = await instance.server('POST', `${base}/${made.id}/test`);
    const request = await eventually('a request', () => receiver.requests.at(-1));
    expect(request.headers).toMatchObject({
      authorization: 'Bearer topsecretvalue',
      'x-env': 'staging (eu)',
      'x-a': '!',
    });
    const { connection: _, host: __, 'content-length': ___, ...own } = request.headers;
    const { 'webhook-timestamp': ____, 'webhook-signature': _____, ...documented } = own;
    const path = `/v1/webhooks/deliveries/${tested.body.data.id}`;
    const logged = (await instance.server('GET', path)).body.data.request.headers;
    expect(logged).toEqual({ ...documented, ...hidden });

    const stored = await instance.sql<{ line: string }>(
      `SELECT w::text AS line FROM webhook_endpoints w UNION ALL SELECT a::text FROM audit_log a
       UNION ALL SELECT e::text FROM events e`,
    );
    const texts = [...stored.map(({ line }) => line), instance.api.output, instance.workers[0]!.output];
    const secret = 'topsecretvalue';
    for (const form of [secret, Buffer.from(secret).toString('hex')])
      expect(texts.filter((text) => text.includes(form))).toEqual([]);
  });

  it('are merged by a patch: null removes one, or all; the rest stays as it was', async () => {
    const { id } = (await create({ url: receiver.url, headers: { 'X-A': 'one', 'X-B': 'two' } })).body.data;
    expect((await patch(id, { 'x-b': null, 'X-C': 'three' })).body.data.headers).toEqual({
      'x-a': '…',
      'x-c': '…',
    });
    expect((await patch(id, { 'x-A': 'four' })).status).toBe(200);
    const request = await sent(id);
    expect(request).toMatchObject({ 'x-a': 'four', 'x-c': 'three' });
    expect(request).not.toHaveProperty('x-b');

    expect((await instance.server('PATCH', `${base}/${id}`, { description: 'x' })).body.data.headers).toEqual(
      {
        'x-a': '…',
        'x-c': '…',
      },
    );
    expect((await patch(id, null)).body.data.headers).toEqual({});
    expect(await sent(id)).not.toHaveProperty('x-a');
    const [row] = await instance.sql('SELECT headers FROM webhook_endpoints WHERE id = $1', [id.slice(3)]);
    expect(row).toEqual({ headers: null });
  });

  it('may have names that our HTTP client knows', async () => {
    const headers = Object.fromEntries(
      ['common', 'head', 'post', 'put', 'patch', 'query', 'x-toString', 'tojson'].map((name) => [
        name,
        'kept',
      ]),
    );
    const { id } = (await create({ url: receiver.url, headers })).body.data;
    const request = await sent(id);
    for (const name of Object.keys(headers)) expect(request).toHaveProperty(name.toLowerCase(), 'kept');
  });

  it('are refused on create and on change when a name is reserved or anything is invalid (WH-05)', async () => {
    const cases: [name: string, value: unknown, code: string][] = [
      ['Content-Type', 'text/plain', 'reserved'],
      ['content-length', '0', 'reserved'],
      ['Transfer-Encoding', 'chunked', 'reserved'],
      ['Host', 'internal', 'reserved'],
      ['connection', 'close', 'reserved'],
      ['expect', '100-continue', 'reserved'],
      ['Accept-Encoding', 'gzip', 'reserved'],
      ['user-agent', 'x', 'reserved'],
      ['cookie', 'a=b', 'reserved'],
      ['webhook-signature', 'v1,x', 'reserved'],
      ['Webhook-Anything', 'x', 'reserved'],
      ['proxy-authorization', 'x', 'reserved'],
      ['x-forwarded-for', '127.0.0.1', 'reserved'],
      ['a b', 'x', 'invalid'],
      ['a:b', 'x', 'invalid'],
      ['', 'x', 'invalid'],
      ['ä', 'x', 'invalid'],
      ['x'.repeat(65), 'x', 'invalid'],
      ['x-a', '', 'invalid'],
      ['x-a', ' x', 'invalid'],
      ['x-a', 'x\r\ny: z', 'invalid'],
      ['x-a', 'ü', 'invalid'],
      ['x-a', '…', 'invalid'],
      ['x-a', 'x'.repeat(1025), 'too_long'],
      ['x-a', 7, 'invalid_type'],
      ['x-a', { b: 'c' }, 'invalid_type'],
    ];
    const { id } = (await create({})).body.data;
    const answers = await Promise.all(
      cases.map(async ([name, value, code]) => {
        const headers = { 'x-good': 'x', [name]: value };
        const refusals = [await create({ headers }), await patch(id, headers)].map(({ status, body }) => [
          status,
          ...(body.errors ?? []).map((error: Record<string, string>) => [error['field'], error['code']]),
        ]);
        return { name, value, refusals, expected: [400, [`headers.${name}`, code]] };
      }),
    );
    const faults = answers.filter(({ refusals, expected }) =>
      refusals.some((refusal) => JSON.stringify(refusal) !== JSON.stringify(expected)),
    );
    expect(faults).toEqual([]);
    expect((await instance.server('GET', `${base}/${id}`)).body.data.headers).toEqual({});
  });

  it('are at most twenty, counted once they are merged', async () => {
    const many = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`x-${from + index}`, 'v']));
    expect(await create({ headers: many(0, 21) })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'headers', code: 'too_long' }] },
    });
    const { id } = (await create({ headers: many(0, 20) })).body.data;
    expect((await patch(id, many(20, 21))).status).toBe(400);
    expect((await patch(id, { 'x-0': null, ...many(20, 21) })).status).toBe(200);
  });

  it('are an object of distinct names with values', async () => {
    for (const headers of [[], 'x', 7, { 'x-a': 'x', 'X-A': 'y' }, { 'x-a': null }])
      expect([headers, (await create({ headers })).status]).toEqual([headers, 400]);
  });
});
