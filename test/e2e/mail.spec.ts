import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import {
  inviteCustomer,
  NEW_PASSWORD,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  withSettings,
} from '../support/customers.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { eventually } from '../support/eventually.js';
import { MAIL_PASSWORD, MailServer, decodeQuotedPrintable } from '../support/mail-server.js';
import type { ServerProcess } from '../support/server-process.mjs';

let instance: TestInstance;
let worker: ServerProcess;
const mailServer = new MailServer();
const startWorker = async (env: Record<string, string> = {}): Promise<void> => {
  worker = instance.startWorker({ PERIODIC_JOBS: 'off', ...env });
  await worker.waitUntilReady();
};
beforeAll(async () => {
  await mailServer.start();
  instance = await TestInstance.startShared({ workers: 0 });
});
afterAll(async () => {
  await instance?.stop();
  await mailServer.stop();
});

/** Sends all pending emails, including those whose next attempt is later. */
const sendMails = async (): Promise<void> => {
  await instance.sql(`UPDATE mails SET next_try_at = now() WHERE state = 'pending'`);
  await worker.runJob('MailSender');
};

describe('an installation without a mail server', () => {
  it('captures emails, logs their links, and lists them in pages', async () => {
    await startWorker();
    for (const name of ['a', 'b', 'c']) await instance.register(`${name}@example.com`);
    const link = `${instance.baseUrl}/verify-email?token=${await instance.getVerificationToken('b@example.com')}`;
    await sendMails();
    await worker.stop();
    expect(worker.log.map((line) => line['link'])).toContain(link);
    const first = (await instance.requestWithSecretKey('GET', '/api/v1/mailbox?limit=2')).body;
    expect(first).toMatchObject({
      data: [
        { to: 'c@example.com', kind: 'verify-email' },
        { to: 'b@example.com', link },
      ],
      hasMore: true,
    });
    const second = (
      await instance.requestWithSecretKey('GET', `/api/v1/mailbox?limit=2&cursor=${first.nextCursor}`)
    ).body;
    expect(second).toMatchObject({ data: [{ to: 'a@example.com' }], hasMore: false, nextCursor: null });
  });
});

describe('an installation with a mail server', () => {
  beforeAll(() => startWorker({ SMTP_URL: mailServer.url, MAIL_FROM: 'Gatehouse <no-reply@example.com>' }));

  it("sends every kind of email with the project's sender, without storing a link (LG-01)", async () => {
    const mail = { fromName: 'Blumen, Söhne', replyTo: 'help@shop.example.com' };
    const [customer, guest, { newEmail }] = await withSettings(instance, { mail }, async () => {
      const registered = await registerCustomer(instance);
      await requestReset(instance, registered.email);
      const change = await requestEmailChange(instance, registered);
      const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
      await instance.requestWithAccessToken(
        registered.tokens.accessToken,
        'POST',
        '/api/v1/me/password',
        passwords,
      );
      return [registered, await inviteCustomer(instance), change] as const;
    });
    await sendMails();
    const sent = mailServer.mails.map(({ to, text }) => {
      const link = /(http:\/\/127\.0\.0\.1:\d+)(\/[a-z-]+)\?token=([\w-]{43})/.exec(
        decodeQuotedPrintable(text),
      );
      return { kind: `${to.join()} ${link?.[2] ?? 'no link'}`, origin: link?.[1], token: link?.[3] };
    });
    const { email } = customer;
    expect(sent.map(({ kind }) => kind).sort()).toEqual(
      [
        `${email} /confirm-email-change`,
        `${email} /reset-password`,
        `${email} /verify-email`,
        `${email} no link`,
        `${newEmail} /confirm-email-change`,
        `${guest.email} /accept-invite`,
      ].sort(),
    );
    for (const { text } of mailServer.mails) {
      expect(text).toMatch(/^From: =\?UTF-8\?.*<no-reply@example\.com>$/m);
      expect(text).toMatch(/^Reply-To: help@shop\.example\.com$/m);
      for (const type of ['text/plain', 'text/html']) expect(text).toContain(type);
    }
    const verification = sent.find(({ kind }) => kind.endsWith('/verify-email'))!;
    expect(verification.origin).toBe(instance.baseUrl);
    expect((await submitToken(instance, 'verify-email', verification.token!)).status).toBe(200);
    const rows = await instance.sql(`SELECT 1 FROM mails WHERE state <> 'kept' AND parameters IS NOT NULL`);
    expect(rows).toEqual([]);
    expect(instance.api.output + worker.output).not.toMatch(/token=|quite another phrase/);
  });

  it('registers customers while the mail server is down, and sends emails after it restarts', async () => {
    const before = mailServer.mails.length;
    await mailServer.stop();
    expect((await instance.register('grace@example.com')).status).toBe(201);
    await sendMails();
    expect(mailServer.mails).toHaveLength(before);
    await eventually('a failed attempt', () =>
      worker.log.some(({ message }) => message === 'email delivery failed'),
    );
    await mailServer.start();
    await sendMails();
    expect(mailServer.mails).toHaveLength(before + 1);
    expect(mailServer.mails.at(-1)!.to).toEqual(['grace@example.com']);
  });

  /** Returns the log entry of the newest email to an address. */
  const findEntry = async (email: string) =>
    (await instance.requestWithSecretKey('GET', `/api/v1/mails?email=${email}`)).body.data[0];

  it('MQ-01: logs sent and rejected emails with the response, and does not retry rejected ones', async () => {
    await instance.register('sue@example.com');
    await sendMails();
    expect(await findEntry('sue@example.com')).toMatchObject({
      state: 'sent',
      reason: null,
      response: null,
      captured: false,
      attempts: 1,
      finishedAt: expect.any(String),
    });
    mailServer.rejectsRecipients = true;
    try {
      await instance.register('unknown@example.com');
      expect(await findEntry('unknown@example.com')).toMatchObject({
        state: 'queued',
        attempts: 0,
        finishedAt: null,
        nextAttemptAt: expect.any(String),
      });
      await sendMails();
    } finally {
      mailServer.rejectsRecipients = false;
    }
    expect(await findEntry('unknown@example.com')).toMatchObject({
      state: 'failed',
      reason: 'rejected',
      response: '550 5.1.1 User unknown',
      attempts: 1,
      nextAttemptAt: null,
      finishedAt: expect.any(String),
    });
  });

  it('marks an email as failed when its link expires, with the time and the last server error', async () => {
    await mailServer.stop();
    try {
      await instance.register('late@example.com');
      await sendMails();
      expect(await findEntry('late@example.com')).toMatchObject({ state: 'queued', response: 'ESOCKET' });
      await instance.sql(
        `UPDATE mails SET created_at = created_at - interval '25 hours' WHERE recipient = 'late@example.com'`,
      );
      await sendMails();
    } finally {
      await mailServer.start();
    }
    expect(await findEntry('late@example.com')).toMatchObject({
      state: 'failed',
      reason: 'expired',
      response: 'ESOCKET',
      finishedAt: expect.any(String),
    });
  });

  it('registers customers while the mail server hangs, and sends each email once afterwards', async () => {
    const before = mailServer.mails.length;
    await mailServer.stop();
    const sockets: Socket[] = [];
    const silentServer = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
    }).listen(Number(new URL(mailServer.url).port), '127.0.0.1');
    expect((await instance.register('lin@example.com')).status).toBe(201);
    const hanging = sendMails();
    await eventually('the worker to wait for a greeting', () => sockets.length > 0);
    expect((await instance.register('mae@example.com')).status).toBe(201);
    silentServer.close();
    for (const socket of sockets) socket.destroy();
    await once(silentServer, 'close');
    await mailServer.start();
    await hanging;
    await sendMails();
    expect(await instance.sql(`SELECT 1 FROM mails WHERE state = 'pending'`)).toEqual([]);
    const recipients = mailServer.mails.slice(before).flatMap(({ to }) => to);
    expect(recipients.sort()).toEqual(['lin@example.com', 'mae@example.com']);
  });
});

describe('a production mail server without STARTTLS', () => {
  it('OP-04: receives no password or email; the email stays pending, and the reason is logged', async () => {
    const server = new MailServer();
    await server.start();
    const { email } = await registerCustomer(instance);
    const production = instance.startWorker({
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auth.example.com',
      SMTP_URL: server.remoteUrl,
      MAIL_FROM: 'Gatehouse <no-reply@example.com>',
      BCRYPT_COST: '10',
      RATE_LIMITS: 'on',
      WEBHOOK_ALLOWED_CIDRS: '',
    });
    try {
      const findFailure = () => production.log.find(({ message }) => message === 'email delivery failed');
      const failure = await eventually('a failed attempt', findFailure);
      expect(failure['reason']).toMatch(/does not support STARTTLS.*SMTP_REQUIRE_TLS=off/);
      const [mail] = await instance.sql(
        `SELECT state, tries > 0 AS attempted FROM mails WHERE recipient = $1`,
        [email],
      );
      expect(mail).toEqual({ state: 'pending', attempted: true });
      expect([server.passwords, server.mails]).toEqual([[], []]);
      expect(production.output).not.toContain(MAIL_PASSWORD);
    } finally {
      await production.stop();
      await server.stop();
    }
  });
});
