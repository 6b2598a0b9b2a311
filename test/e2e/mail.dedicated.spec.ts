import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { eventually } from '../support/eventually.js';
import { MailServer, unquote } from '../support/mail-server.js';
import { insertOperator } from '../support/operator.js';

describe('with a mail server', () => {
  const mailServer = new MailServer();
  let instance: TestInstance;
  beforeAll(async () => {
    await mailServer.start();
    instance = await TestInstance.start({
      env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Gatehouse <no-reply@example.com>' },
    });
  });
  afterAll(async () => {
    await instance?.stop();
    await mailServer.stop();
  });

  it('registers at once, sends one mail with the link, and blanks what it held (LG-01)', async () => {
    await instance.register('ada@example.com');
    await eventually('the mail', () => mailServer.mails.length > 0);
    const [mail] = mailServer.mails;
    expect(mail!.to).toEqual(['ada@example.com']);
    expect(mail!.text).toContain('From: Gatehouse <no-reply@example.com>');
    const link = /http:\/\/127\.0\.0\.1:\d+\/verify-email\?token=[\w-]{43}/.exec(unquote(mail!.text))![0];
    expect(link.startsWith(instance.baseUrl)).toBe(true);
    await eventually('the row being blanked', async () => {
      const [row] = await instance.sql(
        `SELECT state, parameters FROM mails WHERE recipient = 'ada@example.com'`,
      );
      return row!['state'] === 'sent' && row!['parameters'] === null;
    });
    expect(instance.workers[0]!.output).not.toContain('token=');
    const token = new URL(link).searchParams.get('token');
    const verified = await instance.request('POST', '/api/v1/auth/verify-email', { body: { token } });
    expect(verified.status).toBe(200);
    expect(mailServer.mails).toHaveLength(1);
  });

  it('sends every kind of mail with the sender of the project, and keeps no link (LG-01)', async () => {
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
    const sent = await eventually('six mails', () => {
      const mails = mailServer.mails.slice(before);
      return mails.length >= 6 && mails;
    });
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
    await eventually('the rows being blanked', async () => {
      const [row] = await instance.sql(
        `SELECT count(*)::int AS kept FROM mails WHERE parameters IS NOT NULL`,
      );
      return row!['kept'] === 0;
    });
    const logs = instance.api.output + instance.workers.map(({ output }) => output).join('');
    expect(logs).not.toMatch(/token=|quite another phrase/);
    await instance.server('PATCH', project, { settings: { mail: null } });
  });

  it('has no mailbox', async () => {
    const none = { status: 404, body: { code: 'not_found' } };
    expect(await instance.server('GET', '/api/v1/mailbox')).toMatchObject(none);
    const operator = await insertOperator(instance, 'operator');
    for (const path of ['/mailbox', '/mailbox/count'])
      expect(await operator.call('GET', path)).toMatchObject(none);
  });

  it('registers while the mail server is away, and sends once it is back', async () => {
    const before = mailServer.mails.length;
    await mailServer.stop();
    expect((await instance.register('grace@example.com')).status).toBe(201);
    await eventually('a failed try', () =>
      instance.workers[0]!.log.some(({ message }) => message === 'mail not sent'),
    );
    await mailServer.start();
    await eventually('the mail', () => mailServer.mails.length > before);
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
    await eventually('the worker waiting for a greeting', () => sockets.length > 0);
    expect((await instance.register('mae@example.com')).status).toBe(201);
    silent.close();
    for (const socket of sockets) socket.destroy();
    await once(silent, 'close');
    await mailServer.start();
    await eventually('both mails', () => mailServer.mails.length >= before + 2);
    await eventually('no mail being due', async () => {
      const rows = await instance.sql(`SELECT 1 FROM mails WHERE state = 'pending'`);
      return rows.length === 0;
    });
    const receivers = mailServer.mails.slice(before).flatMap(({ to }) => to);
    expect(receivers.sort()).toEqual(['lin@example.com', 'mae@example.com']);
  });
});

describe('without a mail server', () => {
  let instance: TestInstance;
  beforeAll(async () => (instance = await TestInstance.start()));
  afterAll(async () => instance?.stop());

  it('keeps mails, logs their link, and shows them page by page', async () => {
    for (const name of ['a', 'b', 'c']) await instance.register(`${name}@example.com`);
    const link = `${instance.baseUrl}/verify-email?token=${await instance.verificationToken('b@example.com')}`;
    await eventually('the log', () => instance.workers[0]!.log.some((line) => line['link'] === link));
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

  describe('the page behind the link', () => {
    const form = (token: string, headers: Record<string, string> = {}) =>
      instance.request('POST', '/verify-email', {
        body: new URLSearchParams({ token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });

    it('shows one button, changes nothing when opened, and confirms when pressed (EV-03)', async () => {
      await instance.register('page@example.com');
      const token = await instance.verificationToken('page@example.com');
      for (const method of ['GET', 'HEAD', 'GET']) {
        const opened = await instance.request(method, `/verify-email?token=${token}`);
        expect(opened.status).toBe(200);
        if (method === 'GET') expect(opened.body.match(/<button/g)).toHaveLength(1);
      }
      const [row] = await instance.sql(
        `SELECT email_verified FROM customers WHERE email = 'page@example.com'`,
      );
      expect(row!['email_verified']).toBe(false);

      const pressed = await form(token, { 'sec-fetch-site': 'same-origin' });
      expect(pressed.status).toBe(200);
      expect(pressed.body).toContain('Thank you');
      expect((await form(token)).body).toContain('Already confirmed');
      expect((await instance.request('GET', `/verify-email?token=${token}`)).body).toContain(
        'Already confirmed',
      );
      expect((await instance.login('page@example.com')).body.customer.emailVerified).toBe(true);
    });

    it('says the same of every token that does not work', async () => {
      const unknown = await instance.request('GET', `/verify-email?token=${'x'.repeat(43)}`);
      expect(unknown.status).toBe(400);
      for (const path of ['/verify-email', '/verify-email?token=', '/verify-email?token=a&token=b']) {
        expect((await instance.request('GET', path)).body).toBe(unknown.body);
      }
      expect((await form('nonsense')).body).toBe(unknown.body);
    });

    it('refuses forms of other sites, other types and more than 4 KiB (IN-02)', async () => {
      expect((await form('x', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await form('x'.repeat(5_000))).status).toBe(413);
      expect((await form('x', { 'content-type': 'application/json' })).status).toBe(415);
      const elsewhere = await instance.request('POST', '/api/v1/auth/verify-email', {
        body: 'token=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(elsewhere.status).toBe(415);
    });

    it('has a strict policy of its own and shows names as text (HD-01)', async () => {
      await instance.sql(`UPDATE projects SET name = '<script>alert(1)</script>'`);
      await instance.register('markup@example.com');
      const token = await instance.verificationToken('markup@example.com');
      const page = await instance.request('GET', `/verify-email?token=${token}`);
      expect(page.body).not.toContain('<script');
      expect(page.body).toContain('&#60;script&#62;');
      expect(page.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('x-robots-tag')).toBe('noindex, nofollow');
      expect(page.headers.get('cache-control')).toBe('no-store');
    });
  });
});
