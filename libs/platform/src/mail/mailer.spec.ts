import { MailServer } from '../../../../test/support/mail-server.js';
import { Mailer, type OutgoingMail } from './mailer.js';

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
    mailer = new Mailer(server.url, { name: 'Gatehouse', address: 'no-reply@example.com' });
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

  it('sends as the configured sender, and uses the same Message-ID when an email is sent again', async () => {
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

  it('EV-06: a project sets a name and an address for replies, never the address of the sender', async () => {
    const head = await headers({ fromName: 'Shop <eve@evil.example>, x', replyTo: 'help@shop.example' });
    expect(head).toContain('From: "Shop <eve@evil.example>, x" <no-reply@example.com>');
    expect(head).toContain('Reply-To: help@shop.example');
    expect(received()[0]).toMatchObject({ from: 'no-reply@example.com', to: ['ada@example.com'] });
  });

  it('EV-06: no text can start another header or add a recipient', async () => {
    const breaks = 'x\r\nBcc: eve@evil.example\r\n\r\nbody';
    const head = await headers({ subject: breaks, fromName: breaks });
    expect(head.some((line) => line.startsWith('Bcc'))).toBe(false);
    expect(head.some((line) => line.startsWith('Message-ID'))).toBe(true);
    expect(received()[0]!.to).toEqual(['ada@example.com']);
  });
});
