import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { TestInstance } from '../support/test-instance.js';
import { MailServer, decodeQuotedPrintable } from '../support/mail-server.js';
import { insertOperator, type OperatorClient } from '../support/operator-client.js';
import { uniqueEmail } from '../support/unique-email.js';

const mailServer = new MailServer();
let instance: TestInstance;
let admin: OperatorClient;
beforeAll(async () => {
  await mailServer.start();
  instance = await TestInstance.start({
    env: { SMTP_URL: mailServer.url, PERIODIC_JOBS: 'off', RATE_LIMITS: 'off' },
  });
  admin = await insertOperator(instance);
});
afterAll(async () => {
  await instance?.stop();
  await mailServer.stop();
});

const getHealth = async () => (await admin.request('GET', '/health')).body;

describe('the health of an instance', () => {
  it('shows versions, and the state of the queue and of mails', async () => {
    const [{ applied }] = (await instance.sql('SELECT count(*)::int AS applied FROM migrations')) as [any];
    expect(await getHealth()).toMatchObject({
      node: process.versions.node,
      database: { migrations: { applied, pending: 0 } },
      redis: 'not_configured',
      queue: { pending: 0, due: 0, oldestDueAt: null, inFlight: 0, jobs: null },
      mail: { configured: true, pending: 0, failed: 0, oldestPendingAt: null },
      billing: 'built_in',
    });
  });

  it('sends a test mail for admins with a worker, and audits it', async () => {
    const to = uniqueEmail();
    const operator = await insertOperator(instance, 'operator');
    expect(await operator.request('POST', '/health/test-mail', { to })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
    const response = await admin.request('POST', '/health/test-mail', { to });
    expect(response).toMatchObject({ status: 202, body: {} });
    await instance.runJob('MailSender');
    const mail = mailServer.mails.find((each) => each.to.includes(to))!;
    expect(decodeQuotedPrintable(mail.text)).toContain('Subject: Test email from Gatehouse at 127.0.0.1');
    const requestId = response.headers.get('x-request-id')!;
    const { body } = await admin.request('GET', `/audit-log?requestId=${requestId}`);
    expect(body.data).toMatchObject([
      { action: 'mail.tested', targetType: 'mail', actorName: admin.operator.email },
    ]);
    expect(JSON.stringify(body)).not.toContain(to);
    expect(await admin.request('POST', '/health/test-mail', { to: 'nobody' })).toMatchObject({ status: 400 });
  });

  it('sends a test of an email template, whose recipient the keys of the project cannot read', async () => {
    const path = `/projects/${instance.credentials.projectId}/mail-templates/verify-email/de/test`;
    expect((await admin.request('POST', path, { subject: 'Hallo' })).status).toBe(202);
    await instance.runJob('MailSender');
    const { email } = admin.operator;
    const mails = mailServer.mails.filter(({ to }) => to.includes(email));
    expect(mails.map(({ text }) => decodeQuotedPrintable(text)).join()).toContain('Subject: Hallo');
    const stored = await instance.sql('SELECT DISTINCT project_id FROM mails WHERE recipient = $1', [email]);
    expect(stored).toEqual([{ project_id: null }]);
  });

  it('OP-01: sends the link of an invitation only by email', async () => {
    const email = uniqueEmail();
    const { body } = await admin.request('POST', '/operators', { email, role: 'viewer' });
    await instance.runJob('MailSender');
    const mail = mailServer.mails.find(({ to }) => to.includes(email))!;
    expect(body).toMatchObject({ email, invitationUrl: null });
    expect(JSON.stringify(body)).not.toContain('token=');
    expect(decodeQuotedPrintable(mail.text)).toContain(`${instance.baseUrl}/console/invitation#token=`);
  });

  it('lists workers until they stop, and reports a lost worker', async () => {
    await instance.runJob('Heartbeat');
    const [worker] = (await getHealth()).workers;
    expect(worker).toMatchObject({ host: hostname(), alive: true, inFlight: 0 });
    await instance.sql(
      `INSERT INTO workers (id, host, version, in_flight, seen_at)
       VALUES ($1, 'lost', '0.0.1', 3, now() - interval '1 hour'), ($2, 'old', '0.0.1', 0, now() - interval '2 days')`,
      [randomUUID(), randomUUID()],
    );
    await instance.runJob('Heartbeat');
    const both = (await getHealth()).workers as { host: string; alive: boolean }[];
    expect(both.map(({ host, alive }) => [host, alive]).sort()).toEqual(
      [
        [hostname(), true],
        ['lost', false],
      ].sort(),
    );
    await Promise.all(instance.workers.map((each) => each.stop('SIGTERM')));
    expect((await getHealth()).workers).toMatchObject([{ host: 'lost' }]);
  });

  it('counts requests with X-Forwarded-For from an untrusted peer, without their addresses', async () => {
    expect((await getHealth()).untrustedForwards).toEqual({ count: 0, lastAt: null });
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    for (const path of ['/livez', '/nothing']) await instance.request('GET', path, { headers });
    expect((await getHealth()).untrustedForwards).toEqual({
      count: 2,
      lastAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const message = 'X-Forwarded-For from an untrusted peer ignored';
    expect(instance.api.log.filter((line) => line.message === message)).toHaveLength(1);
    expect(JSON.stringify(instance.api.log)).not.toContain('203.0.113.77');
  });

  it('counts pending mails and deliveries without a worker', async () => {
    await instance.sql(
      `INSERT INTO mails (id, kind, recipient, state, next_try_at, created_at)
       VALUES ($1, 'test', 'a@example.com', 'pending', now() + interval '1 hour', '2026-01-02T03:04:05Z'),
         ($2, 'test', 'b@example.com', 'failed', now(), now())`,
      [randomUUID(), randomUUID()],
    );
    expect((await getHealth()).mail).toEqual({
      configured: true,
      pending: 1,
      failed: 1,
      overLimit: 0,
      oldestPendingAt: '2026-01-02T03:04:05.000Z',
    });
    await instance.createEndpoint('http://127.0.0.1:9/', ['customer.created']);
    for (const email of [uniqueEmail(), uniqueEmail(), uniqueEmail()]) {
      await instance.requestWithSecretKey('POST', '/api/v1/customers', { email });
    }
    await instance.sql(
      `UPDATE deliveries d SET next_attempt_at = now() + ((n - 2) * interval '1 hour') FROM (
         SELECT id, row_number() OVER (ORDER BY id) AS n FROM deliveries
       ) each WHERE each.id = d.id`,
    );
    const { queue } = await getHealth();
    expect(queue).toEqual({ pending: 3, due: 2, oldestDueAt: expect.any(String), inFlight: 0, jobs: null });
    expect(Date.parse(queue.oldestDueAt)).toBeLessThan(Date.now() - 3_000_000);
    await instance.sql(
      `UPDATE deliveries SET lease_until = now() + interval '1 minute' WHERE next_attempt_at < now()`,
    );
    expect((await getHealth()).queue).toMatchObject({ pending: 3, due: 0, oldestDueAt: null, inFlight: 2 });
  });
});
