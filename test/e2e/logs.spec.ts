import { randomUUID } from 'node:crypto';
import { VERSION } from '@gatehouse/platform';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { CONSOLE_HEADER, inviteOperator, signIn } from '../support/operator-client.js';
import { Receiver } from '../support/receiver.js';
import { insertKey } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let keyIds: Record<string, string>;
beforeAll(async () => {
  instance = await TestInstance.startShared();
  keyIds = Object.fromEntries(
    (await instance.sql<{ id: string; last4: string }>('SELECT id, last4 FROM api_keys')).map(
      ({ id, last4 }) => [last4, id],
    ),
  );
});
afterAll(async () => instance?.stop());

const IP = '127.0.0.1';
const actorOf = (key: string): string => `key:${keyIds[key.slice(-4)]}`;

/** @returns the response and the log line with its request id */
const asked = async (
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<{ answer: TestResponse; line: Record<string, unknown> }> => {
  const id = `test-${randomUUID()}`;
  const all = { 'x-request-id': id, ...headers };
  const answer = await instance.request(method, path, { body, headers: all });
  const line = await eventually('its log line', () =>
    instance.api.log.find(({ requestId, message }) => requestId === id && message === 'request'),
  );
  expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(line).toMatchObject({ service: 'api', ip: IP, method, status: answer.status });
  return { answer, line };
};

describe('LG-03: the log line of a security event names time, request, project, address and actor', () => {
  const pk = () => ({ 'x-publishable-key': instance.credentials.publishableKey });
  const email = uniqueEmail();
  const login = (password: string, address = email) =>
    asked('POST', '/api/v1/auth/login', pk(), { email: address, password });
  const projectId = () => instance.credentials.projectId;
  let customerId: string;
  beforeAll(async () => (customerId = (await instance.register(email)).body.customer.id));

  it('a login, a failed one, and one that is throttled', async () => {
    const actor = actorOf(instance.credentials.publishableKey);
    const { line } = await login(PASSWORD);
    expect(line).toMatchObject({ status: 200, projectId: projectId(), actor, customerId });
    const address = uniqueEmail();
    const failed = await login('wrong password', address);
    expect(failed.line).toMatchObject({ code: 'invalid_credentials', projectId: projectId(), actor });
    for (let count = 1; count < 10; count += 1) await instance.login(address, 'wrong password');
    const throttled = await login('wrong password', address);
    expect(throttled.line).toMatchObject({ code: 'too_many_attempts', projectId: projectId(), actor });
  });

  it('a sign-in of an operator, each step of it, and what fails', async () => {
    const admin = await signIn(instance);
    const somebody = await inviteOperator(admin, 'viewer');
    const { operator: known, password } = somebody;
    const actor = `operator:${known.id}`;
    let cookie = '';
    const step = async (method: string, path: string, body?: unknown) => {
      const asking = await asked(method, `/operator/v1${path}`, { ...CONSOLE_HEADER, cookie }, body);
      const [set] = asking.answer.headers.getSetCookie();
      if (set) cookie = set.split(';')[0]!;
      return asking.line;
    };
    const give = (text: string, address = known.email) =>
      step('POST', '/session', { email: address, password: text });

    expect(await give('wrong password', uniqueEmail())).not.toHaveProperty('actor');
    expect(await give('wrong password')).toMatchObject({ code: 'invalid_credentials', actor });
    expect(await give(password)).toMatchObject({ status: 200, actor });
    const code = (text: string) => step('POST', '/session/second-factor', { code: text });
    expect(await code('no code')).toMatchObject({ code: 'invalid_code', actor });
    expect(await code(somebody.recoveryCodes[0]!)).toMatchObject({ status: 200, actor });
    expect(await step('GET', '/session')).toMatchObject({ status: 200, actor });
    expect(await step('DELETE', '/session')).toMatchObject({ status: 204, actor });

    const failures = await eventually('the entries of the audit log', async () => {
      const { data } = (await admin.request('GET', `/audit-log?targetId=${known.id}&action=operator.*`)).body;
      const failed = (data as Record<string, string>[]).filter((each) => each['action']!.endsWith('_failed'));
      return failed.length === 2 && failed;
    });
    expect(failures.map(({ action }) => action).sort()).toEqual([
      'operator.code_failed',
      'operator.password_failed',
    ]);
    for (const entry of failures) {
      expect(entry).toMatchObject({ actorType: 'operator', actorId: known.id, ip: IP, organizationId: null });
      expect(entry['requestId']).toMatch(/^test-/);
    }

    await admin.request('POST', `/operators/${known.id}/disable`);
    expect(await give(password)).toMatchObject({ code: 'operator_disabled', actor });
  });

  it('a reused refresh token', async () => {
    const { body } = await instance.register();
    const first = { refreshToken: body.tokens.refreshToken };
    const refresh = (tokens: object) => asked('POST', '/api/v1/auth/refresh', {}, tokens);
    const { answer } = await refresh(first);
    await refresh({ refreshToken: answer.body.tokens.refreshToken });
    const { line } = await refresh(first);
    const { id } = body.customer;
    expect(line).toMatchObject({
      code: 'refresh_token_reused',
      projectId: projectId(),
      customerId: id,
      actor: `customer:${id}`,
    });
  });

  it('a denied scope', async () => {
    const key = await insertKey(instance, {
      ...instance.credentials,
      type: 'secret',
      scopes: ['event:read'],
    });
    const [row] = await instance.sql<{ id: string }>('SELECT id FROM api_keys WHERE last4 = $1', [
      key.slice(-4),
    ]);
    const { line } = await asked('GET', '/v1/webhooks/endpoints', { authorization: `Bearer ${key}` });
    expect(line).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      projectId: projectId(),
      actor: `key:${row!.id}`,
    });
  });

  it('a redelivery', async () => {
    const receiver = await Receiver.start();
    await instance.createEndpoint(receiver.url, ['customer.created']);
    await instance.register();
    const [attempt] = await eventually('an attempt', async () => {
      const attempts = await instance.listAttempts({ success: 'true' });
      return attempts.length > 0 && attempts;
    });
    const { secretKey } = instance.credentials;
    const path = `/v1/webhooks/deliveries/${attempt!['delivery_id']}/redeliver`;
    const { line } = await asked('POST', path, { authorization: `Bearer ${secretKey}` }, { reason: 'test' });
    expect(line).toMatchObject({
      status: 202,
      route: '/v1/webhooks/deliveries/:deliveryId/redeliver',
      projectId: projectId(),
      actor: actorOf(secretKey),
    });
    await receiver.stop();
  });

  it('an address that webhooks may not reach', async () => {
    await instance.createEndpoint('http://127.0.0.1:9/hook', ['customer.created']);
    await instance.sql(`UPDATE webhook_endpoints SET url = 'http://169.254.169.254/hook'`);
    await instance.register();
    const line = await eventually('the attempt', () =>
      instance.workers[0]!.log.find(({ reason }) => reason === 'blocked_address'),
    );
    expect(line).toMatchObject({
      time: expect.stringMatching(/Z$/),
      projectId: projectId(),
      endpointId: expect.any(String),
      deliveryId: expect.any(String),
      message: 'delivery attempt',
    });
  });
});

it('RL-02: without a trusted proxy the address is that of the connection, whatever the headers say', async () => {
  const forged = {
    'x-forwarded-for': '203.0.113.9, 127.0.0.1',
    'x-real-ip': '203.0.113.9',
    'x-client-ip': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
  };
  const headers = { 'x-publishable-key': instance.credentials.publishableKey, ...forged };
  const body = { email: uniqueEmail(), password: PASSWORD };
  // Also asserts the address of the log line.
  const { answer } = await asked('POST', '/api/v1/auth/register', headers, body);
  const sessions = await instance.requestWithSecretKey(
    'GET',
    `/api/v1/customers/${answer.body.customer.id}/sessions`,
  );
  expect(sessions.body.data[0].ip).toBe(IP);
});

describe('a fault inside', () => {
  it('LG-04, HD-01: is a generic 500 that names nothing; the log has the cause under its request id', async () => {
    await instance.sql('ALTER TABLE webhook_endpoints RENAME TO webhook_endpoints_away');
    const sk = { authorization: `Bearer ${instance.credentials.secretKey}` };
    const { answer, line } = await asked('GET', '/v1/webhooks/endpoints', sk);
    await instance.sql('ALTER TABLE webhook_endpoints_away RENAME TO webhook_endpoints');
    expect(answer.body).toEqual({
      success: false,
      type: `${instance.baseUrl}/docs/errors#internal_error`,
      title: expect.any(String),
      status: 500,
      detail: expect.any(String),
      code: 'internal_error',
      requestId: line['requestId'],
    });
    const told = JSON.stringify([answer.body, [...answer.headers]]);
    expect(told).not.toMatch(/webhook_endpoints|relation|SELECT|\.js|node_modules|QueryFailed|express/i);
    for (const version of [VERSION, process.version]) expect(told).not.toContain(`${version}"`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'cache-control': 'no-store',
    });
    const cause = instance.api.log.find(
      ({ requestId, message }) => requestId === line['requestId'] && message === 'request failed',
    );
    expect(cause).toMatchObject({
      level: 'error',
      error: { message: expect.stringContaining('webhook_endpoints') },
    });
  });
});
