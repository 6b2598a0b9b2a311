import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver } from '../support/receiver.js';

const base = '/v1/webhooks/endpoints';
const url = 'https://example.com/hook';

let instance: TestInstance;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
  instance = await TestInstance.startShared();
});
afterEach(() => instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`));
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

const create = (body: object) => instance.requestWithSecretKey('POST', base, { url, ...body });
const getEndpoint = async (id: string) =>
  (await instance.requestWithSecretKey('GET', `${base}/${id}`)).body.data;
const patch = (id: string, headers: unknown) =>
  instance.requestWithSecretKey('PATCH', `${base}/${id}`, { headers });

/** Sends a test event. @returns its request headers */
async function sendTest(id: string): Promise<Record<string, unknown>> {
  const before = receiver.requests.length;
  await instance.requestWithSecretKey('POST', `${base}/${id}/test`);
  return eventually('a request', () => receiver.requests[before]?.headers);
}

describe('a custom header of an endpoint', () => {
  it('is sent with every delivery, and never returned, logged or stored in plain text', async () => {
    const headers = { Authorization: 'Bearer topsecretvalue', 'X-Env': 'staging (eu)', 'x-a': '!' };
    const created = (await create({ url: receiver.url, headers })).body.data;
    const hidden = { authorization: '…', 'x-env': '…', 'x-a': '…' };
    expect(created.headers).toEqual(hidden);
    expect((await getEndpoint(created.id)).headers).toEqual(hidden);

    const tested = await instance.requestWithSecretKey('POST', `${base}/${created.id}/test`);
    const request = await eventually('a request', () => receiver.requests.at(-1));
    expect(request.headers).toMatchObject({
      authorization: 'Bearer topsecretvalue',
      'x-env': 'staging (eu)',
      'x-a': '!',
    });
    const unloggedNames = ['connection', 'host', 'content-length', 'webhook-timestamp', 'webhook-signature'];
    const documented = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !unloggedNames.includes(name)),
    );
    const path = `/v1/webhooks/deliveries/${tested.body.data.id}`;
    const logged = (await instance.requestWithSecretKey('GET', path)).body.data.request.headers;
    expect(logged).toEqual({ ...documented, ...hidden });

    const stored = await instance.sql<{ line: string }>(
      `SELECT w::text AS line FROM webhook_endpoints w UNION ALL SELECT a::text FROM audit_log a
       UNION ALL SELECT e::text FROM events e`,
    );
    const outputs = [...stored.map(({ line }) => line), instance.api.output, instance.workers[0]!.output];
    const secret = 'topsecretvalue';
    for (const form of [secret, Buffer.from(secret).toString('hex')])
      expect(outputs.filter((text) => text.includes(form))).toEqual([]);
  });

  it('changes by merge patch: null removes one header or all, and others stay unchanged', async () => {
    const { id } = (await create({ url: receiver.url, headers: { 'X-A': 'one', 'X-B': 'two' } })).body.data;
    expect((await patch(id, { 'x-b': null, 'X-C': 'three' })).body.data.headers).toEqual({
      'x-a': '…',
      'x-c': '…',
    });
    expect((await patch(id, { 'x-A': 'four' })).status).toBe(200);
    const request = await sendTest(id);
    expect(request).toMatchObject({ 'x-a': 'four', 'x-c': 'three' });
    expect(request).not.toHaveProperty('x-b');

    await instance.requestWithSecretKey('PATCH', `${base}/${id}`, { description: 'x' });
    expect((await getEndpoint(id)).headers).toEqual({ 'x-a': '…', 'x-c': '…' });
    expect((await patch(id, null)).body.data.headers).toEqual({});
    expect(await sendTest(id)).not.toHaveProperty('x-a');
    const [row] = await instance.sql('SELECT headers FROM webhook_endpoints WHERE id = $1', [id.slice(3)]);
    expect(row).toEqual({ headers: null });
  });

  it('can have any name, even one that the HTTP client uses itself', async () => {
    const names = ['common', 'head', 'post', 'put', 'patch', 'query', 'x-toString', 'tojson'];
    const headers = Object.fromEntries(names.map((name) => [name, 'kept']));
    const { id } = (await create({ url: receiver.url, headers })).body.data;
    const request = await sendTest(id);
    for (const name of names) expect(request).toHaveProperty(name.toLowerCase(), 'kept');
  });

  it('WH-05: causes an error if the name is reserved, or the name or value is invalid', async () => {
    const reserved = [
      ...['Content-Type', 'content-length', 'Transfer-Encoding', 'Host', 'connection', 'expect'],
      ...['Accept-Encoding', 'user-agent', 'cookie', 'webhook-signature', 'Webhook-Anything'],
      ...['proxy-authorization', 'x-forwarded-for'],
    ];
    const cases: [name: string, value: unknown, code: string][] = [
      ...reserved.map((name): [string, string, string] => [name, 'x', 'reserved']),
      ...['a b', 'a:b', '', 'ä', 'x'.repeat(65)].map((name): [string, string, string] => [
        name,
        'x',
        'invalid',
      ]),
      ...['', ' x', 'x\r\ny: z', 'ü', '…'].map((value, nth): [string, string, string] => [
        `x-${nth}`,
        value,
        'invalid',
      ]),
      ['x-long', 'x'.repeat(1025), 'too_long'],
      ['x-number', 7, 'invalid_type'],
      ['x-object', { b: 'c' }, 'invalid_type'],
      ['X-Long', 'x', 'repeated'],
    ];
    const headers = { 'x-good': 'x', ...Object.fromEntries(cases) };
    const { id } = (await create({})).body.data;
    for (const { status, body } of [await create({ headers }), await patch(id, headers)]) {
      const problems = (body.errors as Record<string, string>[]).map(({ field, code }) => [field, code]);
      expect([status, problems.sort()]).toEqual([
        400,
        cases.map(([name, , code]) => [`headers.${name}`, code]).sort(),
      ]);
    }
    for (const invalid of [[], 'x', 7, { 'x-a': null }])
      expect([invalid, (await create({ headers: invalid })).status]).toEqual([invalid, 400]);
    expect((await getEndpoint(id)).headers).toEqual({});
  });

  it('causes an error if there are more than twenty headers after merging', async () => {
    const createHeaders = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`x-${from + index}`, 'v']));
    expect(await create({ headers: createHeaders(0, 21) })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'headers', code: 'too_long' }] },
    });
    const { id } = (await create({ headers: createHeaders(0, 20) })).body.data;
    expect((await patch(id, createHeaders(20, 21))).status).toBe(400);
    expect((await patch(id, { 'x-0': null, ...createHeaders(20, 21) })).status).toBe(200);
  });
});
