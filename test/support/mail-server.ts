import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { freePort } from './server-process.mjs';

/** A real SMTP server on loopback that a test can stop and start. */
export class MailServer {
  readonly mails: { from: string; to: string[]; text: string }[] = [];
  private server: SMTPServer | undefined;
  private port = 0;

  async start(): Promise<void> {
    this.server = new SMTPServer({
      authOptional: true,
      closeTimeout: 100,
      disabledCommands: ['STARTTLS'],
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

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server!.close(() => resolve()));
  }
}

/** Decodes a quoted-printable part. */
export const decodeQuotedPrintable = (text: string): string =>
  text
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
