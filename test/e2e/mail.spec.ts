import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { House, PASSWORD } from '../support/house.js';
import { eventually } from '../support/eventually.js';

/** A real SMTP server on loopback that a test can switch off. */
class MailServer {
  readonly mails: { to: string[]; text: string }[] = [];
  private server: SMTPServer | undefined;
  private port = 0;

  async start(): Promise<void> {
    this.server = new SMTPServer({
      authOptional: true,
      closeTimeout: 100,
      disabledCommands: ['STARTTLS'],
      onData: (stream, session, done) => {
        let text = '';
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        stream.on('end', () => {
          this.mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
          done();
        });
      },
    });
    this.server.on('error', () => undefined);
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server.server, 'listening');
    this.port = (this.server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server!.close(() => resolve()));
  }
}

/** The text of a quoted-printable part. */
const unquote = (text: string): string =>
  text
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

describe('with a mail server', () => {
  const mailServer = new MailServer();
  let house: House;
  beforeAll(async () => {
    await mailServer.start();
    house = await House.start({
      env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Gatehouse <no-reply@example.com>' },
    });
  });
  afterAll(async () => {
    await house?.stop();
    await mailServer.stop();
  });

  it('registers at once, sends one mail with the link, and blanks what it held (LG-01)', async () => {
    await house.register('ada@example.com');
    await eventually('the mail', () => mailServer.mails.length > 0);
    const [mail] = mailServer.mails;
    expect(mail!.to).toEqual(['ada@example.com']);
    expect(mail!.text).toContain('From: Gatehouse <no-reply@example.com>');
    const link = /http:\/\/127\.0\.0\.1:\d+\/verify-email\?token=[\w-]{43}/.exec(unquote(mail!.text))![0];
    expect(link.startsWith(house.baseUrl)).toBe(true);
    await eventually('the row being blanked', async () => {
      const [row] = await house.sql(
        `SELECT state, parameters FROM mails WHERE recipient = 'ada@example.com'`,
      );
      return row!['state'] === 'sent' && row!['parameters'] === null;
    });
    expect(house.workers[0]!.output).not.toContain('token=');
    const token = new URL(link).searchParams.get('token');
    const verified = await house.request('POST', '/api/v1/auth/verify-email', { body: { token } });
    expect(verified.status).toBe(200);
    expect(mailServer.mails).toHaveLength(1);
  });

  it('has no mailbox', async () => {
    expect(await house.server('GET', '/api/v1/mailbox')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('registers while the mail server is away, and sends once it is back', async () => {
    const before = mailServer.mails.length;
    await mailServer.stop();
    expect((await house.register('grace@example.com')).status).toBe(201);
    await eventually('a failed try', () =>
      house.workers[0]!.log.some(({ message }) => message === 'mail not sent'),
    );
    await mailServer.start();
    await eventually('the mail', () => mailServer.mails.length > before, 25_000);
    expect(mailServer.mails.at(-1)!.to).toEqual(['grace@example.com']);
  });
});

describe('without a mail server', () => {
  let house: House;
  beforeAll(async () => (house = await House.start()));
  afterAll(async () => house?.stop());

  it('keeps mails, logs their link, and shows them page by page', async () => {
    for (const name of ['a', 'b', 'c']) await house.register(`${name}@example.com`);
    const link = `${house.baseUrl}/verify-email?token=${await house.verificationToken('b@example.com')}`;
    await eventually('the log', () => house.workers[0]!.log.some((line) => line['link'] === link));
    const first = (await house.server('GET', '/api/v1/mailbox?limit=2')).body;
    expect(first).toMatchObject({
      data: [
        { to: 'c@example.com', kind: 'verify-email' },
        { to: 'b@example.com', link },
      ],
      hasMore: true,
    });
    const second = (await house.server('GET', `/api/v1/mailbox?limit=2&cursor=${first.nextCursor}`)).body;
    expect(second).toMatchObject({ data: [{ to: 'a@example.com' }], hasMore: false, nextCursor: null });
  });

  describe('the page behind the link', () => {
    const form = (token: string, headers: Record<string, string> = {}) =>
      house.request('POST', '/verify-email', {
        body: new URLSearchParams({ token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });

    it('shows one button, changes nothing when opened, and confirms when pressed (EV-03)', async () => {
      await house.register('page@example.com');
      const token = await house.verificationToken('page@example.com');
      for (const method of ['GET', 'HEAD', 'GET']) {
        const opened = await house.request(method, `/verify-email?token=${token}`);
        expect(opened.status).toBe(200);
        if (method === 'GET') expect(opened.body.match(/<button/g)).toHaveLength(1);
      }
      const [row] = await house.sql(`SELECT email_verified FROM customers WHERE email = 'page@example.com'`);
      expect(row!['email_verified']).toBe(false);

      const pressed = await form(token, { 'sec-fetch-site': 'same-origin' });
      expect(pressed.status).toBe(200);
      expect(pressed.body).toContain('Thank you');
      expect((await form(token)).body).toContain('Already confirmed');
      expect((await house.request('GET', `/verify-email?token=${token}`)).body).toContain(
        'Already confirmed',
      );
      expect(
        (await house.page('POST', '/api/v1/auth/login', { email: 'page@example.com', password: PASSWORD }))
          .body.customer.emailVerified,
      ).toBe(true);
    });

    it('says the same of every token that does not work', async () => {
      const unknown = await house.request('GET', `/verify-email?token=${'x'.repeat(43)}`);
      expect(unknown.status).toBe(400);
      for (const path of ['/verify-email', '/verify-email?token=', '/verify-email?token=a&token=b']) {
        expect((await house.request('GET', path)).body).toBe(unknown.body);
      }
      expect((await form('nonsense')).body).toBe(unknown.body);
    });

    it('refuses forms of other sites, other types and more than 4 KiB (IN-02)', async () => {
      expect((await form('x', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await form('x'.repeat(5_000))).status).toBe(413);
      expect((await form('x', { 'content-type': 'application/json' })).status).toBe(415);
      const elsewhere = await house.request('POST', '/api/v1/auth/verify-email', {
        body: 'token=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(elsewhere.status).toBe(415);
    });

    it('has a strict policy of its own and shows names as text (HD-01)', async () => {
      await house.sql(`UPDATE projects SET name = '<script>alert(1)</script>'`);
      await house.register('markup@example.com');
      const token = await house.verificationToken('markup@example.com');
      const page = await house.request('GET', `/verify-email?token=${token}`);
      expect(page.body).not.toContain('<script');
      expect(page.body).toContain('&#60;script&#62;');
      expect(page.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('x-robots-tag')).toBe('noindex');
      expect(page.headers.get('cache-control')).toBe('no-store');
    });
  });
});
