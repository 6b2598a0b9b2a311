import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { eventually } from '../support/eventually.js';
import { MailServer, unquote } from '../support/mail-server.js';
import type { ServerProcess } from '../support/server-process.mjs';

let instance: TestInstance;
let worker: ServerProcess;
const mailServer = new MailServer();
const startWorker = async (env: Record<string, string> = {}): Promise<void> => {
  worker = instance.startWorker({ PERIODIC_JOBS: 'off', ...env });
  await worker.ready();
};
beforeAll(async () => {
  await mailServer.start();
  instance = await TestInstance.shared({ workers: 0 });
});
afterAll(async () => {
  await instance?.stop();
  await mailServer.stop();
});

/** Has every mail sent that waits, also one whose next attempt is later. */
const sendMails = async (): Promise<void> => {
  await instance.sql(`UPDATE mails SET next_try_at = now() WHERE state = 'pending'`);
  await worker.runJob('MailSender');
};

describe('without a mail server', () => {
  it('captures mails, logs their link, and shows them page by page', async () => {
    await startWorker();
    for (const name of ['a', 'b', 'c']) await instance.register(`${name}@example.com`);
    const link = `${instance.baseUrl}/verify-email?token=${await instance.verificationToken('b@example.com')}`;
    await sendMails();
    await worker.end();
    expect(worker.log.map((line) => line['link'])).toContain(link);
    const first = (await instance.server('GET', '/api/v1/mailbox?limit=2')).body;
    expect(first).toMatchObject({
      data: [
        { to: 'c@example.com', kind: 'verify-email' },
        { to: 'b@example.com', link },
      ],
      hasMore: true,
    });
    const second = (await instance.server('GET', `/api/v1/mailbox?limit=2&cursor=${first.nextCursor}`)).body;
    expect(second).toMatchObject({ data: [{ to: 'a@example.com' }], hasMore: false, nextCursor: null });
  });
});

describe('with a mail server', () => {
  beforeAll(() => startWorker({ SMTP_URL: mailServer.url, MAIL_FROM: 'Gatehouse <no-reply@example.com>' }));

  it('registers at once, sends one mail with the link, and blanks what it held (LG-01)', async () => {
    await instance.register('ada@example.com');
    await sendMails();
    const [mail] = mailServer.mails;
    expect(mail!.to).toEqual(['ada@example.com']);
    expect(mail!.text).toContain('From: Gatehouse <no-reply@example.com>');
    const link = /http:\/\/127\.0\.0\.1:\d+\/verify-email\?token=[\w-]{43}/.exec(unquote(mail!.text))![0];
    expect(link.startsWith(instance.baseUrl)).toBe(true);
    const rows = await instance.sql(
      `SELECT state, parameters FROM mails WHERE recipient = 'ada@example.com'`,
    );
    expect(rows).toEqual([{ state: 'sent', parameters: null }]);
    expect(worker.output).not.toContain('token=');
    const token = new URL(link).searchParams.get('token');
    const verified = await instance.request('POST', '/api/v1/auth/verify-email', { body: { token } });
    expect(verified.status).toBe(200);
    expect(mailServer.mails).toHaveLength(1);
  });

  it('sends every kind of mail with the sender of the project, and stores no link (LG-01)', async () => {
    const project = `/api/v1/projects/${instance.credentials.projectId}`;
    const settings = { mail: { fromName: 'Blumen, Söhne', replyTo: 'help@shop.example.com' } };
    await instance.server('PATCH', project, { settings });
    const before = mailServer.mails.length;
    const [ada, newAda, guest] = ['ada.m@example.com', 'ada.new@example.com', 'guest@example.com'];
    const { tokens } = (await instance.register(ada)).body;
    await instance.page('POST', '/api/v1/auth/forgot-password', { email: ada });
    await instance.server('POST', '/api/v1/customers', { email: guest, sendInvite: true });
    const change = { email: newAda, password: PASSWORD };
    await instance.customer(tokens.accessToken, 'POST', '/api/v1/me/email', change);
    const passwords = { currentPassword: PASSWORD, newPassword: 'quite another phrase' };
    await instance.customer(tokens.accessToken, 'POST', '/api/v1/me/password', passwords);
    await sendMails();
    const sent = mailServer.mails.slice(before);
    const paths = sent.map(({ to, text }) => {
      const link = /http:\/\/127\.0\.0\.1:\d+(\/[a-z-]+)\?token=[\w-]{43}/.exec(unquote(text));
      return `${to.join()} ${link?.[1] ?? 'no link'}`;
    });
    expect(paths.sort()).toEqual([
      `${ada} /confirm-email-change`,
      `${ada} /reset-password`,
      `${ada} /verify-email`,
      `${ada} no link`,
      `${newAda} /confirm-email-change`,
      `${guest} /accept-invite`,
    ]);
    for (const { text } of sent) {
      expect(text).toMatch(/^From: =\?UTF-8\?.*<no-reply@example\.com>$/m);
      expect(text).toMatch(/^Reply-To: help@shop\.example\.com$/m);
      expect(text).toContain('text/plain');
      expect(text).toContain('text/html');
    }
    const left = await instance.sql(`SELECT 1 FROM mails WHERE state <> 'kept' AND parameters IS NOT NULL`);
    expect(left).toEqual([]);
    expect(instance.api.output + worker.output).not.toMatch(/token=|quite another phrase/);
    await instance.server('PATCH', project, { settings: { mail: null } });
  });

  it('registers while the mail server is away, and sends once it is back', async () => {
    const before = mailServer.mails.length;
    await mailServer.stop();
    expect((await instance.register('grace@example.com')).status).toBe(201);
    await sendMails();
    expect(mailServer.mails).toHaveLength(before);
    await eventually('a failed attempt', () => worker.log.some(({ message }) => message === 'mail not sent'));
    await mailServer.start();
    await sendMails();
    expect(mailServer.mails).toHaveLength(before + 1);
    expect(mailServer.mails.at(-1)!.to).toEqual(['grace@example.com']);
  });

  it('registers while the mail server hangs, and sends one mail once it answers', async () => {
    const before = mailServer.mails.length;
    await mailServer.stop();
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
    }).listen(Number(new URL(mailServer.url).port), '127.0.0.1');
    expect((await instance.register('lin@example.com')).status).toBe(201);
    const hanging = sendMails();
    await eventually('the worker waiting for a greeting', () => sockets.length > 0);
    expect((await instance.register('mae@example.com')).status).toBe(201);
    silent.close();
    for (const socket of sockets) socket.destroy();
    await once(silent, 'close');
    await mailServer.start();
    await hanging;
    await sendMails();
    expect(await instance.sql(`SELECT 1 FROM mails WHERE state = 'pending'`)).toEqual([]);
    const receivers = mailServer.mails.slice(before).flatMap(({ to }) => to);
    expect(receivers.sort()).toEqual(['lin@example.com', 'mae@example.com']);
  });
});
