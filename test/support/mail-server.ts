import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { freePort } from './server-process.mjs';

export const MAIL_PASSWORD = 'Xw3-kLp9';

/** A real SMTP server on loopback that a test can stop and start. */
export class MailServer {
  readonly mails: { from: string; to: string[]; text: string }[] = [];
  /** The passwords that clients have sent. */
  readonly passwords: unknown[] = [];
  /** Rejects recipients permanently. */
  rejectsRecipients = false;
  /** Rejects recipients temporarily, like a server with greylisting. */
  postponesRecipients = false;
  private server: SMTPServer | undefined;
  private port = 0;

  /** @param tls certificate and key for STARTTLS. Without them, the server does not support it */
  constructor(private readonly tls?: { cert: string; key: string }) {}

  async start(): Promise<void> {
    this.server = new SMTPServer({
      authOptional: true,
      closeTimeout: 100,
      allowInsecureAuth: true,
      // The strict mode rejects quoted local parts, although RFC 5321 allows them.
      lenientAddressParsing: true,
      ...(this.tls ?? { disabledCommands: ['STARTTLS'] }),
      onAuth: ({ username, password }, _session, done) => {
        this.passwords.push(password);
        done(null, { user: username });
      },
      onRcptTo: (_address, _session, done) => {
        const reject = (text: string, responseCode: number): void =>
          done(Object.assign(new Error(text), { responseCode }));
        if (this.rejectsRecipients) reject('5.1.1 User unknown', 550);
        else if (this.postponesRecipients) reject('4.7.1 Greylisted', 450);
        else done();
      },
      onData: (stream, { envelope }, done) => {
        let text = '';
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        stream.on('end', () => {
          const from = (envelope.mailFrom as { address: string }).address;
          this.mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text });
          done();
        });
      },
    });
    this.server.on('error', () => undefined);
    // The port is reserved, so no other server takes it while this one is stopped.
    this.port ||= await freePort();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server.server, 'listening');
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** A URL with a password. It counts as remote: 0.0.0.0 is not a loopback address, but connects to this machine. */
  get remoteUrl(): string {
    return `smtp://mailer:${MAIL_PASSWORD}@0.0.0.0:${this.port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server!.close(() => resolve()));
  }
}

/** Decodes a quoted-printable part. */
export const decodeQuotedPrintable = (text: string): string =>
  text
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
