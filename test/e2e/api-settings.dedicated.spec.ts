import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NEW_PASSWORD, withSettings } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import {
  CONSOLE_HEADER,
  insertOperator,
  inviteOperator,
  listCommands,
  OperatorClient,
  signIn,
} from '../support/operator-client.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { commitWhenOthersWait } from '../support/with-concurrent-change.js';
import { listDocumentedRoutes, fillPath } from '../support/routes.js';
import { createPartitions, seedDeliveries } from '../support/seed-deliveries.js';
import { startReplica } from '../support/start-replica.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';
import { waitForFeed } from '../support/wait-for-feed.js';

/** A stand-in for the breached password service. Tests set its response. */
class BreachList {
  readonly paths: string[] = [];
  response: 'breached' | 'clean' | 'error' | 'silence' = 'clean';
  constructor(readonly breached: string) {}
  private server: Server | undefined;

  async start(): Promise<string> {
    const hash = createHash('sha1').update(this.breached).digest('hex').toUpperCase();
    this.server = createServer((request, response) => {
      this.paths.push(request.url!);
      if (this.response === 'error') response.writeHead(500).end();
      else if (this.response !== 'silence') {
        const lines = [
          `${'0'.repeat(35)}:3`,
          ...(this.response === 'breached' ? [`${hash.slice(5)}:42`] : []),
        ];
        response.end(lines.join('\r\n'));
      }
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

const breachList = new BreachList(NEW_PASSWORD);

/** The recorded IPv4 and IPv6 address for each AUDIT_IP value. */
const RECORDED = {
  masked: ['203.0.113.0/24', '2001:db8:1::/48'],
  off: [null, null],
  full: ['203.0.113.99', '2001:db8:1:2::3'],
};

const OPERATOR_PASSWORD = 'an unusual long phrase';

/** An API process with AUDIT_IP=full, which a test restarts with AUDIT_IP=off. */
let instance: TestInstance;
type Replica = Awaited<ReturnType<typeof startReplica>>;
type InvitedOperator = Awaited<ReturnType<typeof inviteOperator>>;
let withoutConsole: Replica;
beforeAll(async () => {
  instance = await TestInstance.start({
    workers: 0,
    env: {
      AUDIT_IP: 'full',
      BREACH_LIST_URL: await breachList.start(),
      DATABASE_POOL: '4',
      OPERATOR_EMAIL: 'Ops@Example.com',
      OPERATOR_PASSWORD,
      RATE_LIMITS: 'off',
      TRUSTED_PROXIES: '127.0.0.1/32',
      WEBHOOK_RETRY_SCHEDULE: '1h,1h,1h,1h,1h',
    },
  });
  withoutConsole = await startReplica(instance, { CONSOLE: 'off', AUDIT_IP: 'masked' });
});
afterAll(async () => {
  await instance?.stop();
  breachList.stop();
});

it('CO-01: the seed uses OPERATOR_EMAIL and OPERATOR_PASSWORD', async () => {
  expect(listCommands(instance)).toEqual([
    [
      "database seeded; the keys and the operator's sign-in are in credentials.json",
      'npm run gatehouse -- operator-link',
    ],
  ]);
  expect(instance.credentials.operator).toEqual({ email: 'ops@example.com', password: OPERATOR_PASSWORD });
  await signIn(instance);
  expect(await instance.sql('SELECT email FROM operators')).toEqual([{ email: 'ops@example.com' }]);
});

it('CO-01: parallel sign-ins succeed in a full pool, because each needs only one connection', async () => {
  const holder = await instance.db.connect();
  try {
    const { operator } = instance.credentials;
    const clients = await Promise.all(Array.from({ length: 4 }, () => insertOperator(instance)));
    await holder.query('BEGIN');
    await holder.query('SELECT FROM operators WHERE email = $1 FOR UPDATE', [operator.email]);
    const responses = Promise.all(clients.map((client) => client.request('POST', '/session', operator)));
    // Four requests hold all pool connections.
    await commitWhenOthersWait(holder, 4);
    expect((await responses).map(({ status }) => status)).toEqual(Array(4).fill(200));
  } finally {
    holder.release();
  }
});

it('CO-05: CONSOLE=off removes only the console and its API', async () => {
  const routes = (await listDocumentedRoutes(instance)).filter(({ path }) => path.startsWith('/operator/'));
  expect(routes.length).toBeGreaterThan(40);
  const page = await (await fetch(`${instance.baseUrl}/console/`)).text();
  const asset = /src="([^"]+)"/.exec(page)![1]!;

  const { baseUrl } = withoutConsole;
  const failures: string[] = [];
  for (const path of ['/console', '/console/', '/console/sign-in', asset]) {
    const { status } = await fetch(baseUrl + path, { redirect: 'manual' });
    if (status !== 404) failures.push(`${path}: ${status}`);
  }
  const cookie = (await insertOperator(instance)).cookieHeader();
  for (const { name, method, path } of routes) {
    const response = await fetch(baseUrl + fillPath(path, {}), {
      method,
      headers: { cookie, ...CONSOLE_HEADER },
    });
    const { code } = JSON.parse(await response.text()) as { code: string };
    const outcome = `${response.status} ${response.headers.get('content-type')} ${code}`;
    if (outcome !== '404 application/problem+json; charset=utf-8 not_found')
      failures.push(`${name}: ${outcome}`);
  }
  expect(failures).toEqual([]);
  expect((await fetch(`${baseUrl}/operator/openapi.json`)).status).toBe(404);
  expect(await (await fetch(`${baseUrl}/`)).json()).not.toHaveProperty('console');
  const headers = { authorization: `Bearer ${instance.credentials.secretKey}` };
  expect((await fetch(`${baseUrl}/api/v1/organizations`, { headers })).status).toBe(200);
});

/** Creates customers from both addresses. @returns the IPs that the audit log contains */
async function recordClientIps(baseUrl: string): Promise<unknown[]> {
  const authorization = `Bearer ${instance.credentials.secretKey}`;
  const ips: unknown[] = [];
  for (const address of ['203.0.113.99', '2001:db8:1:2::3']) {
    const { headers } = await instance.request('POST', '/api/v1/customers', {
      baseUrl,
      body: { email: uniqueEmail() },
      headers: { authorization, 'x-forwarded-for': address },
    });
    const requestId = headers.get('x-request-id')!;
    const rows = await instance.sql('SELECT ip FROM audit_log WHERE request_id = $1', [requestId]);
    const { body } = await instance.request('GET', `/api/v1/audit-log?requestId=${requestId}`, {
      baseUrl,
      headers: { authorization },
    });
    expect(rows).toEqual([{ ip: body.data[0].ip }]);
    ips.push(rows[0]!['ip']);
  }
  return ips;
}

it('AUDIT_IP determines whether the audit log contains complete or masked client IPs', async () => {
  expect(await recordClientIps(instance.baseUrl)).toEqual(RECORDED.full);
  expect(await recordClientIps(withoutConsole.baseUrl)).toEqual(RECORDED.masked);
});

it('PW-05: a breach check sends a five-digit hash prefix, and fails open', async () => {
  const register = () => instance.register(uniqueEmail(), { password: NEW_PASSWORD });
  breachList.response = 'breached';
  expect((await register()).status).toBe(201);
  expect(breachList.paths).toEqual([]);
  await withSettings(instance, { breachCheck: true }, async () => {
    const rejected = { code: 'weak_password', reasons: ['breached'] };
    expect(await register()).toMatchObject({ status: 422, body: rejected });
    expect(breachList.paths).toEqual([expect.stringMatching(/^\/range\/[0-9A-F]{5}$/)]);
    breachList.response = 'clean';
    expect((await register()).status).toBe(201);
    for (const response of ['error', 'silence'] as const) {
      breachList.response = response;
      instance.api.clearLog();
      expect((await register()).status).toBe(201);
      const message = 'breached password lookup failed';
      const line = await eventually('the log line', () =>
        instance.api.log.findLast((each) => each.message === message),
      );
      expect(line['failed']).toBeGreaterThan(0);
    }
  });
});

it('the feed neither hides nor skips events after a dump is restored on a different server', async () => {
  const create = async (): Promise<string> =>
    (await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: uniqueEmail() })).body.id;
  const list = (query: string): Promise<TestResponse> =>
    instance.requestWithSecretKey('GET', `/v1/events?types=customer.created&${query}`);
  const customersOf = ({ body }: TestResponse): string[] =>
    (body.data as { data: { customer: { id: string } } }[]).map(({ data }) => data.customer.id);
  // Removes other tests' events.
  await instance.sql('DELETE FROM events');
  const ids = [await create(), await create(), await create()];
  // Simulates an original server with higher transaction ids.
  await instance.sql(`UPDATE events SET xact = (xact::text::bigint + 1000000000)::text::xid8`);
  expect(customersOf(await list('limit=200'))).toEqual([]);
  await instance.api.stop();
  // A later test requires this setting.
  instance.startApi({ AUDIT_IP: 'off' });
  await instance.waitUntilReady();
  await waitForFeed(instance);
  const first = await list('limit=1');
  expect(customersOf(first)).toEqual(ids.slice(0, 1));
  ids.push(await create());
  await waitForFeed(instance);
  const rest = await list(`limit=200&cursor=${encodeURIComponent(first.body.next_cursor as string)}`);
  expect(customersOf(rest)).toEqual(ids.slice(1));
});

it('AUDIT_IP=off leaves client IPs out of the audit log', async () => {
  expect(await recordClientIps(instance.baseUrl)).toEqual(RECORDED.off);
});

it('events, redeliveries and batches have the same delay before the first attempt', async () => {
  await instance.startWorker().waitUntilReady();
  const { id } = await instance.createEndpoint('http://127.0.0.1:9/', ['customer.created']);
  await instance.register();
  const at = Date.now() - 86_400_000;
  await createPartitions(instance, at);
  const { projectId } = instance.credentials;
  const failedDelivery = {
    endpointId: id,
    projectId,
    state: 'failed' as const,
    attempts: [{ at, status: 500 }],
  };
  const [deadLetter] = await seedDeliveries(instance, [failedDelivery, failedDelivery]);
  const redeliverPath = `/v1/webhooks/deliveries/dlv_${deadLetter!.id}/redeliver`;
  expect((await instance.requestWithSecretKey('POST', redeliverPath)).status).toBe(202);
  const batches = '/v1/webhooks/redeliveries';
  const { body } = await instance.requestWithSecretKey('POST', batches, { filter: {} });
  await instance.requestWithSecretKey('POST', `${batches}/${body.data.id}/start`, { reason: 'the delay' });
  const delays = await eventually('all deliveries', async () => {
    const rows = await instance.sql<{ minutes: number }>(
      `SELECT round(extract(epoch FROM next_attempt_at - created_at) / 60)::int AS minutes FROM deliveries
       WHERE state = 'pending' AND attempt = 0`,
    );
    return rows.length === 3 && rows.map(({ minutes }) => minutes);
  });
  expect(delays).toEqual([60, 60, 60]);
});

describe('failed sign-ins of an operator', () => {
  let admin: OperatorClient;
  beforeAll(async () => (admin = await signIn(instance)));

  const USED_ADDRESS = '203.0.113.5';
  const UNUSED_ADDRESS = '192.0.2.44';
  let hosts = 0;
  const nextUnusedAddress = (): string => `198.51.100.${(hosts += 1) % 250}`;
  const forwardedFor = (ip: string) => ({ 'x-forwarded-for': ip });

  const enterPassword = (
    ip: string,
    email: string,
    password: string,
    client = new OperatorClient(instance),
  ) => client.request('POST', '/session', { email, password }, forwardedFor(ip));

  /** Signs in with both factors. Returns the first response if the password is rejected. */
  const signInFrom = async (ip: string, invitee: InvitedOperator): Promise<TestResponse> => {
    const client = new OperatorClient(instance);
    const withPassword = await enterPassword(ip, invitee.operator.email, invitee.password, client);
    if (withPassword.status !== 200) return withPassword;
    return client.request(
      'POST',
      '/session/second-factor',
      { code: invitee.recoveryCodes.shift() },
      forwardedFor(ip),
    );
  };
  const signedIn = { status: 200, body: { state: 'signed_in' } };
  const rejected = { status: 429, body: { code: 'too_many_attempts', limit: 'failed-operator-login' } };

  /** Invites an operator who then signs in from an address. */
  const inviteAndSignIn = async (ip = USED_ADDRESS): Promise<InvitedOperator> => {
    const invitee = await inviteOperator(admin, 'viewer');
    expect(await signInFrom(ip, invitee)).toMatchObject(signedIn);
    return invitee;
  };

  /** Sends requests concurrently and returns the number of responses by status. */
  const burst = async (count: number, send: (index: number) => Promise<TestResponse>) => {
    const responses = await Promise.all(
      Array.from({ length: count }, (_, index) => retryWhileRejected(() => send(index))),
    );
    const byStatus: Record<number, number> = {};
    for (const { status } of responses) byStatus[status] = (byStatus[status] ?? 0) + 1;
    return byStatus;
  };
  const enterWrongPassword = (ip: string, email: string) => enterPassword(ip, email, 'not the password');
  /** Sends wrong passwords from unused addresses until they are rejected. */
  const exhaustAttempts = async (email: string): Promise<void> =>
    expect(await burst(12, () => enterWrongPassword(nextUnusedAddress(), email))).toEqual({
      401: 10,
      429: 2,
    });

  describe('CO-01: an attacker who exhausts the attempts of an operator', () => {
    it('blocks the operator only at addresses that the operator has not used', async () => {
      const invitee = await inviteAndSignIn();
      await exhaustAttempts(invitee.operator.email);
      expect(await signInFrom(UNUSED_ADDRESS, invitee)).toMatchObject(rejected);
      expect(await signInFrom(USED_ADDRESS, invitee)).toMatchObject(signedIn);
      // A completed sign-in resets the failures.
      expect(await signInFrom(UNUSED_ADDRESS, invitee)).toMatchObject(signedIn);
    });

    it('leaves the operator ten attempts for passwords and codes together, even in parallel', async () => {
      const { operator, password } = await inviteAndSignIn();
      await exhaustAttempts(operator.email);
      const client = new OperatorClient(instance);
      expect((await enterPassword(USED_ADDRESS, operator.email, password, client)).status).toBe(200);
      const enterWrongCode = () =>
        client.request('POST', '/session/second-factor', { code: 'wrong' }, forwardedFor(USED_ADDRESS));
      expect(await burst(15, enterWrongCode)).toEqual({ 400: 9, 429: 6 });
      expect(await enterPassword(USED_ADDRESS, operator.email, password)).toMatchObject(rejected);
    });

    it('must wait twice as long after ten more consecutive failures', async () => {
      const email = uniqueEmail();
      for (const seconds of [900, 1_800]) {
        await exhaustAttempts(email);
        const response = await enterWrongPassword(UNUSED_ADDRESS, email);
        expect([response.status, response.headers.get('ratelimit-policy')]).toEqual([
          429,
          `"failed-operator-login";q=10;w=${seconds}`,
        ]);
        await instance.sql(
          `UPDATE operator_login_attempts SET window_ends_at = now() - interval '1 ms' WHERE email_hash = sha256($1)`,
          [Buffer.from(email)],
        );
      }
    });

    it('blocks the operator except in the /64 of a known IPv6 address (RL-02)', async () => {
      const invitee = await inviteAndSignIn('2001:db8:7:7::1');
      await exhaustAttempts(invitee.operator.email);
      expect(await signInFrom('2001:db8:7:8::1', invitee)).toMatchObject(rejected);
      expect(await signInFrom('2001:db8:7:7:ffff::2', invitee)).toMatchObject(signedIn);
    });
  });

  describe('CO-01: the limit on parallel wrong attempts', () => {
    it('allows ten attempts from unused addresses, and ten for an unknown email', async () => {
      const known = (await inviteAndSignIn()).operator.email;
      const unknown = uniqueEmail();
      expect(await burst(25, () => enterWrongPassword(nextUnusedAddress(), known))).toEqual({
        401: 10,
        429: 15,
      });
      expect(await burst(25, () => enterWrongPassword(USED_ADDRESS, unknown))).toEqual({ 401: 10, 429: 15 });
    });

    it('allows ten more from a used address, with the same responses as for an unknown email', async () => {
      for (const other of [USED_ADDRESS, UNUSED_ADDRESS]) {
        const { id, email } = (await inviteAndSignIn()).operator;
        const responses = await burst(40, (index) =>
          enterWrongPassword(index % 2 ? USED_ADDRESS : other, email),
        );
        expect(responses).toEqual({ 401: 10, 429: 30 });
        const failures = `SELECT FROM audit_log WHERE action = 'operator.password_failed' AND target_id = $1`;
        await eventually('twenty entries', async () => (await instance.sql(failures, [id])).length === 20);
      }
    });
  });

  describe('CO-01: a client IP', () => {
    const expectUnusedAddress = async (invitee: InvitedOperator): Promise<void> => {
      await exhaustAttempts(invitee.operator.email);
      expect(await signInFrom(USED_ADDRESS, invitee)).toMatchObject(rejected);
    };

    it("counts as unused after a password without a second factor, or another operator's sign-in", async () => {
      const invitee = await inviteOperator(admin, 'viewer');
      await inviteAndSignIn();
      expect((await enterPassword(USED_ADDRESS, invitee.operator.email, invitee.password)).status).toBe(200);
      const send = () => enterWrongPassword(nextUnusedAddress(), invitee.operator.email);
      expect(await burst(12, send)).toEqual({ 401: 9, 429: 3 });
      expect(await signInFrom(USED_ADDRESS, invitee)).toMatchObject(rejected);
    });

    it('counts as unused after 31 days, a second factor reset or disabling the operator', async () => {
      const operators = [await inviteAndSignIn(), await inviteAndSignIn(), await inviteAndSignIn()];
      const [old, reset, disabled] = operators.map(({ operator }) => operator.id);
      await instance.sql(
        `UPDATE operator_addresses SET last_sign_in_at = now() - interval '31 days' WHERE operator_id = $1`,
        [old],
      );
      await admin.request('POST', `/operators/${reset}/reset-second-factor`);
      await admin.request('POST', `/operators/${disabled}/disable`);
      await admin.request('POST', `/operators/${disabled}/enable`);
      for (const invitee of operators) await expectUnusedAddress(invitee);
    });

    it('counts as unused after the operator has set a new password through an invitation', async () => {
      const invitee = await inviteAndSignIn();
      const { body } = await admin.request('POST', `/operators/${invitee.operator.id}/invite-again`);
      const token = new URL(body.invitationUrl as string).hash.slice('#token='.length);
      invitee.password = 'an unusual long phrase';
      const accepted = { token, password: invitee.password };
      const client = new OperatorClient(instance);
      const response = await client.request(
        'POST',
        '/invitations/accept',
        accepted,
        forwardedFor(USED_ADDRESS),
      );
      expect(response.status).toBe(200);
      await expectUnusedAddress(invitee);
    });
  });
});
