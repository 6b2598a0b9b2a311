import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Keyring, renderMail, type MailKind } from '@gatehouse/platform';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { MailServer, decodeQuotedPrintable } from '../support/mail-server.js';
import { insertOperator, OperatorClient } from '../support/operator-client.js';
import { createOperatorLink } from '../support/run-gatehouse.js';
import { totpCode } from '../support/totp.js';
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

it('the mailbox returns 404 if SMTP_URL is set', async () => {
  const notFound = { status: 404, body: { code: 'not_found' } };
  expect(await instance.requestWithSecretKey('GET', '/api/v1/mailbox')).toMatchObject(notFound);
  const operator = await insertOperator(instance, 'operator');
  for (const path of ['/mailbox', '/mailbox/count'])
    expect(await operator.request('GET', path)).toMatchObject(notFound);
});

const getHealth = async () => (await admin.request('GET', '/health')).body;

describe('the health of an instance', () => {
  it('contains versions, and the state of the queue and of emails', async () => {
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

  it('lets an admin request a test email, which a worker sends, and audits it', async () => {
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
    expect(await admin.request('POST', '/health/test-mail', { to: 'not an address' })).toMatchObject({
      status: 400,
    });
  });

  it('sends a test email for a template, and hides its recipient from project keys', async () => {
    const path = `/projects/${instance.credentials.projectId}/mail-templates/verify-email/de/test`;
    expect((await admin.request('POST', path, { subject: 'Hallo' })).status).toBe(202);
    await instance.runJob('MailSender');
    const { email } = admin.operator;
    const mails = mailServer.mails.filter(({ to }) => to.includes(email));
    expect(mails.map(({ text }) => decodeQuotedPrintable(text)).join()).toContain('Subject: Hallo');
    const stored = await instance.sql('SELECT DISTINCT project_id FROM mails WHERE recipient = $1', [email]);
    expect(stored).toEqual([{ project_id: null }]);
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

  it('counts pending emails and deliveries even if no worker is running', async () => {
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
      failing: 1,
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
    expect(queue).toEqual({
      pending: 3,
      due: 2,
      oldestDueAt: expect.any(String),
      inFlight: 0,
      jobs: null,
      deadLetters: 0,
    });
    expect(Date.parse(queue.oldestDueAt)).toBeLessThan(Date.now() - 3_000_000);
    await instance.sql(
      `UPDATE deliveries SET lease_until = now() + interval '1 minute' WHERE next_attempt_at < now()`,
    );
    expect((await getHealth()).queue).toMatchObject({ pending: 3, due: 0, oldestDueAt: null, inFlight: 2 });
  });
});

describe('OP-01: the notices of an instance', () => {
  let keyring: Keyring;
  beforeAll(async () => {
    keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
    await instance.sql(`UPDATE operators SET role = 'viewer' WHERE id <> $1`, [admin.operator.id]);
  });
  // Emails are read from the database, which contains all of them when the response arrives.
  beforeEach(() => instance.sql('DELETE FROM mails'));

  /** Returns the emails created since the last call, rendered, with their kinds, by recipient. */
  async function readNewMails() {
    const rows = await instance.sql<{ id: string; kind: MailKind; recipient: string; parameters: Buffer }>(
      'DELETE FROM mails RETURNING id, kind, recipient, parameters',
    );
    return rows
      .map((mail) => ({ kind: mail.kind, ...renderMail(mail, keyring, instance.baseUrl) }))
      .sort((one, other) => (one.to < other.to ? -1 : 1));
  }

  /** Returns the headings of the notices created since the last call. Fails if a notice has a different recipient. */
  async function readNewNotices({ operator: { email } }: OperatorClient): Promise<string[]> {
    const mails = await readNewMails();
    expect(mails.map(({ to, link }) => [to, link])).toEqual(mails.map(() => [email, null]));
    for (const { text } of mails) expect(text).toMatch(/ at \d\d:\d\d UTC, from the address 127\.0\.0\.1\./);
    return mails.map(({ subject }) => subject.split(':')[0]!).sort();
  }

  const send = (path: string, body?: unknown, client = admin): Promise<TestResponse> =>
    client.request(path.startsWith('PATCH ') ? 'PATCH' : 'POST', path.replace('PATCH ', ''), body);

  describe('an action of an admin on an operator', () => {
    it('notifies all admins and the operator of the actor, action, target, time and client IP', async () => {
      const other = await insertOperator(instance);
      await insertOperator(instance, 'operator');
      const target = await insertOperator(instance, 'viewer');
      const path = `/operators/${target.operator.id}`;
      const [actor, subject] = [admin.operator.email, target.operator.email];
      for (const [request, body, sentence] of [
        [`PATCH ${path}`, { role: 'admin' }, `${actor} changed the role of ${subject} from viewer to admin`],
        [`PATCH ${path}`, { role: 'viewer' }, `${actor} changed the role of ${subject} from admin to viewer`],
        [`${path}/reset-second-factor`, undefined, `${actor} reset the second factor of ${subject}`],
        [
          `${path}/invite-again`,
          undefined,
          `${actor} created a link with which ${subject} can set a new password`,
        ],
        [`${path}/disable`, undefined, `${actor} disabled ${subject}`],
        [`${path}/enable`, undefined, `${actor} enabled ${subject}`],
      ] as const) {
        expect((await send(request, body)).status).toBe(200);
        const notices = (await readNewMails()).filter(({ kind }) => kind === 'operator-notice');
        expect(notices.map(({ to }) => to)).toEqual([actor, other.operator.email, subject].sort());
        for (const { text, link } of notices) {
          expect(text).toContain(`${sentence} on `);
          expect(text).toMatch(/ at \d\d:\d\d UTC, from the address 127\.0\.0\.1\./);
          expect([link, /https?:/.test(text)]).toEqual([null, false]);
        }
      }
    });

    it('causes a notice even if it is the command operator-link, whose link is never emailed', async () => {
      const { operator } = await insertOperator(instance, 'viewer');
      await createOperatorLink(instance, operator.email, '--reset-second-factor');
      const mails = await readNewMails();
      const recipients = [admin.operator.email, operator.email];
      expect(mails.map(({ to, link }) => [to, link])).toEqual(
        expect.arrayContaining(
          recipients.flatMap((to) => [
            [to, null],
            [to, null],
          ]),
        ),
      );
      const sentence = `The operator-link command created a link with which ${operator.email} can set a new password on `;
      expect(mails.filter(({ text }) => text.includes(sentence)).map(({ to }) => to)).toEqual(
        expect.arrayContaining(recipients),
      );
    });

    it('notifies the admins about an invitation, but sends its link only to the new operator', async () => {
      const email = uniqueEmail();
      const invited = await send('/operators', { email, role: 'operator' });
      expect(invited).toMatchObject({ status: 201, body: { email, invitationUrl: null } });
      const mails = await readNewMails();
      const [invitation] = mails.filter(({ to }) => to === email);
      expect(invitation).toMatchObject({ kind: 'operator-invitation' });
      const notices = mails.filter((mail) => mail !== invitation);
      expect(notices.map(({ to }) => to)).toContain(admin.operator.email);
      expect(invitation!.link).toContain(`${instance.baseUrl}/console/invitation#token=`);
      const token = new URL(invitation!.link!).hash.slice('#token='.length);
      for (const { text } of notices) {
        expect(text).toContain(`${admin.operator.email} invited ${email} to the console as operator on `);
        expect(text).not.toContain(token);
      }
      const again = await send(`/operators/${invited.body.id}/invite-again`);
      expect(again).toMatchObject({ status: 200, body: { invitationUrl: null } });
      const links = (await readNewMails()).filter(({ link }) => link !== null);
      expect(links.map(({ to }) => to)).toEqual([email]);
    });

    it('does not send a notice if nothing has changed or the action is rejected', async () => {
      const target = await insertOperator(instance, 'viewer');
      const path = `/operators/${target.operator.id}`;
      expect((await send(`PATCH ${path}`, { role: 'viewer', name: 'Ada' })).status).toBe(200);
      expect((await send(`${path}/enable`)).status).toBe(200);
      expect((await send(`/operators/${admin.operator.id}/disable`)).status).toBe(409);
      expect(await readNewMails()).toEqual([]);
    });
  });

  describe('an operator', () => {
    const version = (major: number) => `Mozilla/5.0 (X11; Linux x86_64; rv:${major}.0) Firefox/${major}.0`;
    /** Signs in with a browser. @returns the new session */
    const signInWith = async (
      userAgent: string,
      { operator: { id, email }, secret }: OperatorClient,
    ): Promise<OperatorClient> => {
      const client = Object.assign(new OperatorClient(instance), { operator: { id, email }, secret });
      const { password } = instance.credentials.operator;
      const headers = { 'user-agent': userAgent };
      await client.request('POST', '/session', { email, password }, headers);
      await instance.sql('UPDATE operators SET totp_step = 0 WHERE id = $1', [id]);
      const code = { code: totpCode(secret) };
      const { status } = await client.request('POST', '/session/second-factor', code, headers);
      expect(status).toBe(200);
      return client;
    };

    it('is notified of a sign-in from a new client IP or browser, but not of a browser update', async () => {
      const owner = await insertOperator(instance, 'viewer');
      await signInWith(version(140), owner);
      expect(await readNewNotices(owner)).toEqual(['New sign-in']);
      await signInWith(version(141), owner);
      expect(await readNewNotices(owner)).toEqual([]);
      await signInWith('curl/8.5.0', owner);
      expect(await readNewNotices(owner)).toEqual(['New sign-in']);
      await signInWith(version(142), owner);
      expect(await readNewNotices(owner)).toEqual([]);

      const update = (set: string) =>
        instance.sql(`UPDATE operator_addresses SET ${set} WHERE operator_id = $1`, [owner.operator.id]);
      await update(`address_block = '203.0.113.5'`);
      await signInWith(version(142), owner);
      expect(await readNewNotices(owner)).toEqual(['New sign-in']);
      // Earlier versions stored addresses without browsers, so a browser there does not count as new.
      await update(`browsers = '{}'`);
      await signInWith(version(142), owner);
      expect(await readNewNotices(owner)).toEqual([]);
    });

    it('receives a notice about a new password, recovery codes or authenticator, and a used code', async () => {
      const owner = await signInWith(version(140), await insertOperator(instance, 'viewer'));
      await readNewMails();
      const { password } = instance.credentials.operator;
      const newPassword = 'an unusual long phrase';
      await owner.keepReauthenticated();
      await send('/session/password', { currentPassword: password, newPassword }, owner);
      expect(await readNewNotices(owner)).toEqual(['Password changed']);

      const renewed = await send('/session/recovery-codes', { code: totpCode(owner.secret, 1) }, owner);
      const [code, replacementCode] = renewed.body.recoveryCodes as string[];
      expect(await readNewNotices(owner)).toEqual(['Recovery codes replaced']);
      await send('/session/reauthenticate', { code }, owner);
      expect(await readNewNotices(owner)).toEqual(['Recovery code used']);

      const { secret } = (await send('/session/enrollment/replace', { code: replacementCode }, owner)).body;
      await send('/session/enrollment/confirm', { code: totpCode(secret as string) }, owner);
      expect(await readNewNotices(owner)).toEqual(['Authenticator app set up', 'Recovery code used']);
    });

    it('receives a notice when a link from an admin is used to set a new password', async () => {
      const owner = await insertOperator(instance, 'viewer');
      await send(`/operators/${owner.operator.id}/invite-again`);
      const { link } = (await readNewMails()).find(({ kind }) => kind === 'operator-invitation')!;
      const token = new URL(link!).hash.slice('#token='.length);
      const client = new OperatorClient(instance);
      const accepted = await send(
        '/invitations/accept',
        { token, password: 'an unusual long phrase' },
        client,
      );
      expect(accepted.status).toBe(200);
      expect(await readNewNotices(owner)).toEqual(['Password changed']);
    });
  });
});
