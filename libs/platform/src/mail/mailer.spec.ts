import { selfSigned } from '../../../../test/support/certificates.js';
import { MAIL_PASSWORD, MailServer } from '../../../../test/support/mail-server.js';
import { errorMessage } from '../runtime/errors.js';
import { Mailer, type OutgoingMail } from './mailer.js';

const sender = { name: 'Gatehouse', address: 'no-reply@example.com' };
const mail: OutgoingMail = {
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Text',
  html: '<p>Text</p>',
  fromName: null,
  replyTo: null,
};

describe('Mailer', () => {
  const server = new MailServer();
  let mailer: Mailer;
  beforeAll(async () => {
    await server.start();
    mailer = new Mailer(server.url, false, sender);
  });
  afterAll(async () => {
    mailer.close();
    await server.stop();
  });
  beforeEach(() => server.mails.splice(0));

  const received = () =>
    server.mails.map(({ text, ...envelope }) => {
      const head = text.slice(0, text.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
      return { ...envelope, head: head.split('\r\n') };
    });
  const headers = async (changes: Partial<OutgoingMail> = {}): Promise<string[]> => {
    await mailer.send('m1', { ...mail, ...changes });
    return received()[0]!.head;
  };

  it('uses the configured sender, and the same Message-ID when an email is sent again', async () => {
    await mailer.send('m1', mail);
    expect(await headers()).toEqual(
      expect.arrayContaining([
        'From: Gatehouse <no-reply@example.com>',
        'To: ada@example.com',
        'Auto-Submitted: auto-generated',
        'Message-ID: <m1@example.com>',
      ]),
    );
    expect(received()).toHaveLength(2);
    for (const { head } of received()) expect(head).toContain('Message-ID: <m1@example.com>');
    expect(received()[0]!.head.join()).not.toContain('Reply-To');
    expect(received()[0]).toMatchObject({ from: 'no-reply@example.com', to: ['ada@example.com'] });
  });

  it('EV-06: quotes a local part with a final dot or two consecutive dots (RFC 5321)', async () => {
    for (const to of ['ada.@docomo.ne.jp', 'ada..b@docomo.ne.jp']) await mailer.send('m1', { ...mail, to });
    expect(received().map(({ to }) => to)).toEqual([['"ada."@docomo.ne.jp'], ['"ada..b"@docomo.ne.jp']]);
  });

  it('EV-06: uses the name and the reply address of a project, but never a sender address', async () => {
    const head = await headers({ fromName: 'Shop <eve@evil.example>, x', replyTo: 'help@shop.example' });
    expect(head).toContain('From: "Shop <eve@evil.example>, x" <no-reply@example.com>');
    expect(head).toContain('Reply-To: help@shop.example');
    expect(received()[0]).toMatchObject({ from: 'no-reply@example.com', to: ['ada@example.com'] });
  });

  it('EV-06: prevents a string from injecting a header or adding a recipient', async () => {
    const breaks = 'x\r\nBcc: eve@evil.example\r\n\r\nbody';
    const head = await headers({ subject: breaks, fromName: breaks });
    expect(head.some((line) => line.startsWith('Bcc'))).toBe(false);
    expect(head.some((line) => line.startsWith('Message-ID'))).toBe(true);
    expect(received()[0]!.to).toEqual(['ada@example.com']);
  });
});

describe('OP-04: a Mailer that requires TLS', () => {
  /**
   * Sends an email to a server.
   * @returns the error, and the passwords and emails that the server received
   */
  const send = async (server: MailServer, toUrl: (url: string) => string, requireTls = true) => {
    await server.start();
    const mailer = new Mailer(toUrl(server.remoteUrl), requireTls, sender);
    try {
      const error = await mailer.send('m1', mail).then(
        () => null,
        (reason: unknown) => errorMessage(reason),
      );
      return { error, received: [...server.passwords, ...server.mails] };
    } finally {
      mailer.close();
      await server.stop();
    }
  };

  it.each([
    '',
    '?requireTLS=false',
    '?require%54LS=0&requireTLS=false',
    '?ignoreTLS=true',
    '?opportunisticTLS=true',
  ])('sends neither the password nor the email to a server without STARTTLS: %j', async (parameters) => {
    const { error, received } = await send(new MailServer(), (url) => url + parameters);
    expect(received).toEqual([]);
    expect(error).toMatch(/^the mail server does not support STARTTLS, .*smtps:\/\/.*SMTP_REQUIRE_TLS=off$/);
    expect(error).not.toContain(MAIL_PASSWORD);
  });

  it('sends neither the password nor the email to a server with an untrusted certificate', async () => {
    const { error, received } = await send(new MailServer(selfSigned(['mail.example.com'])), (url) => url);
    expect(received).toEqual([]);
    expect(error).toMatch(/certificate|self.signed/i);
  });

  it('sends over STARTTLS', async () => {
    const { error, received } = await send(
      new MailServer(selfSigned(['mail.example.com'])),
      (url) => `${url}?tls.rejectUnauthorized=false`,
    );
    expect(error).toBeNull();
    expect(received).toEqual([MAIL_PASSWORD, expect.objectContaining({ to: ['ada@example.com'] })]);
  });

  it('sends unencrypted if TLS is not required', async () => {
    const { error, received } = await send(new MailServer(), (url) => url, false);
    expect(error).toBeNull();
    expect(received).toHaveLength(2);
  });
});
