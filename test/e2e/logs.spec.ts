import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { CONSOLE_HEADER, inviteOperator, signIn } from '../support/operator-client.js';
import { VERSION } from '../support/platform.js';
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

/** Sends a request. Returns the response and the log line with its request id. */
const requestWithLog = async (
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<{ response: TestResponse; line: Record<string, unknown> }> => {
  const id = `test-${randomUUID()}`;
  const allHeaders = { 'x-request-id': id, ...headers };
  const response = await instance.request(method, path, { body, headers: allHeaders });
  const line = await eventually('the log line', () =>
    instance.api.log.find(({ requestId, message }) => requestId === id && message === 'request'),
  );
  expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(line).toMatchObject({ service: 'api', ip: IP, method, status: response.status });
  return { response, line };
};

describe('LG-03: the log line of a security event', () => {
  const publishableKeyHeader = () => ({ 'x-publishable-key': instance.credentials.publishableKey });
  const email = uniqueEmail();
  const login = (password: string, address = email) =>
    requestWithLog('POST', '/api/v1/auth/login', publishableKeyHeader(), { email: address, password });
  const projectId = () => instance.credentials.projectId;
  let customerId: string;
  beforeAll(async () => (customerId = (await instance.register(email)).body.customer.id));

  it('describes a successful, a failed and a throttled login', async () => {
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

  it('describes each step of an operator sign-in, successful or failed', async () => {
    const admin = await signIn(instance);
    const invited = await inviteOperator(admin, 'viewer');
    const { operator: known, password } = invited;
    const actor = `operator:${known.id}`;
    let cookie = '';
    const step = async (method: string, path: string, body?: unknown) => {
      const result = await requestWithLog(method, `/operator/v1${path}`, { ...CONSOLE_HEADER, cookie }, body);
      const [setCookie] = result.response.headers.getSetCookie();
      if (setCookie) cookie = setCookie.split(';')[0]!;
      return result.line;
    };
    const submitPassword = (text: string, address = known.email) =>
      step('POST', '/session', { email: address, password: text });

    expect(await submitPassword('wrong password', uniqueEmail())).not.toHaveProperty('actor');
    expect(await submitPassword('wrong password')).toMatchObject({ code: 'invalid_credentials', actor });
    expect(await submitPassword(password)).toMatchObject({ status: 200, actor });
    const submitCode = (text: string) => step('POST', '/session/second-factor', { code: text });
    expect(await submitCode('no code')).toMatchObject({ code: 'invalid_code', actor });
    expect(await submitCode(invited.recoveryCodes[0]!)).toMatchObject({ status: 200, actor });
    expect(await step('GET', '/session')).toMatchObject({ status: 200, actor });
    expect(await step('DELETE', '/session')).toMatchObject({ status: 204, actor });

    const failures = await eventually('the audit log entries', async () => {
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
    expect(await submitPassword(password)).toMatchObject({ code: 'operator_disabled', actor });
  });

  it('describes a reused refresh token', async () => {
    const { body } = await instance.register();
    const first = { refreshToken: body.tokens.refreshToken };
    const refresh = (tokens: object) => requestWithLog('POST', '/api/v1/auth/refresh', {}, tokens);
    const { response } = await refresh(first);
    await refresh({ refreshToken: response.body.tokens.refreshToken });
    const { line } = await refresh(first);
    const { id } = body.customer;
    expect(line).toMatchObject({
      code: 'refresh_token_reused',
      projectId: projectId(),
      customerId: id,
      actor: `customer:${id}`,
    });
  });

  it('describes a denied scope', async () => {
    const key = await insertKey(instance, {
      ...instance.credentials,
      type: 'secret',
      scopes: ['event:read'],
    });
    const [row] = await instance.sql<{ id: string }>('SELECT id FROM api_keys WHERE last4 = $1', [
      key.slice(-4),
    ]);
    const { line } = await requestWithLog('GET', '/v1/webhooks/endpoints', {
      authorization: `Bearer ${key}`,
    });
    expect(line).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      projectId: projectId(),
      actor: `key:${row!.id}`,
    });
  });

  it('describes a redelivery', async () => {
    const receiver = await Receiver.start();
    await instance.createEndpoint(receiver.url, ['customer.created']);
    await instance.register();
    const [attempt] = await eventually('an attempt', async () => {
      const attempts = await instance.listAttempts({ success: 'true' });
      return attempts.length > 0 && attempts;
    });
    const { secretKey } = instance.credentials;
    const path = `/v1/webhooks/deliveries/${attempt!['delivery_id']}/redeliver`;
    const { line } = await requestWithLog(
      'POST',
      path,
      { authorization: `Bearer ${secretKey}` },
      { reason: 'test' },
    );
    expect(line).toMatchObject({
      status: 202,
      route: '/v1/webhooks/deliveries/:deliveryId/redeliver',
      projectId: projectId(),
      actor: actorOf(secretKey),
    });
    await receiver.stop();
  });

  it('describes a blocked webhook address', async () => {
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

it('RL-02: without a trusted proxy, log lines contain the peer address, not forged headers', async () => {
  const forged = {
    'x-forwarded-for': '203.0.113.9, 127.0.0.1',
    'x-real-ip': '203.0.113.9',
    'x-client-ip': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
  };
  const headers = { 'x-publishable-key': instance.credentials.publishableKey, ...forged };
  const body = { email: uniqueEmail(), password: PASSWORD };
  // requestWithLog also checks the address in the log line.
  const { response } = await requestWithLog('POST', '/api/v1/auth/register', headers, body);
  const sessions = await instance.requestWithSecretKey(
    'GET',
    `/api/v1/customers/${response.body.customer.id}/sessions`,
  );
  expect(sessions.body.data[0].ip).toBe(IP);
});

describe('an internal error', () => {
  it('LG-04, HD-01: returns a generic 500, and logs the cause with the request id', async () => {
    await instance.sql('ALTER TABLE webhook_endpoints RENAME TO webhook_endpoints_away');
    const secretKeyHeader = { authorization: `Bearer ${instance.credentials.secretKey}` };
    const { response, line } = await requestWithLog('GET', '/v1/webhooks/endpoints', secretKeyHeader);
    await instance.sql('ALTER TABLE webhook_endpoints_away RENAME TO webhook_endpoints');
    expect(response.body).toEqual({
      success: false,
      type: `${instance.baseUrl}/docs/errors#internal_error`,
      title: expect.any(String),
      status: 500,
      detail: expect.any(String),
      code: 'internal_error',
      requestId: line['requestId'],
    });
    const exposed = JSON.stringify([response.body, [...response.headers]]);
    expect(exposed).not.toMatch(/webhook_endpoints|relation|SELECT|\.js|node_modules|QueryFailed|express/i);
    for (const version of [VERSION, process.version]) expect(exposed).not.toContain(`${version}"`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
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
