import { createTransport, type Transporter } from 'nodemailer';
import type { MailServerSetting } from '../config/mail-config.js';
import { emailDomain, type Sender } from '../config/sender.js';

export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The sender name; null for the configured one. */
  fromName: string | null;
  replyTo: string | null;
}

const missingStartTls = (setting: string): string =>
  `the mail server does not support STARTTLS, which is required in production; use smtps:// in ${setting}, or set SMTP_REQUIRE_TLS=off`;

/** Sends emails over SMTP with a connection pool. */
export class Mailer {
  private readonly transport: Transporter;

  /**
   * @param requireTls true to refuse unencrypted connections, so that neither emails nor the password are sent in
   *   plain text
   * @param setting the setting that contains the URL, for error messages
   */
  constructor(
    smtpUrl: string,
    private readonly requireTls: boolean,
    private readonly sender: Sender,
    private readonly setting: MailServerSetting = 'SMTP_URL',
  ) {
    this.transport = createTransport({
      url: requireTls ? withoutRequireTls(smtpUrl) : smtpUrl,
      pool: true,
      requireTLS: requireTls,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /**
   * Sends an email.
   * @param id the email's id. The Message-ID contains it, so that an email that is sent again after a crash can be
   * recognized as a duplicate
   * @throws Error from the mail server or the connection
   */
  async send(id: string, { to, subject, text, html, fromName, replyTo }: OutgoingMail): Promise<void> {
    const { name, address } = this.sender;
    const sent = this.transport.sendMail({
      from: { name: fromName ?? name, address },
      to: toMailbox(to),
      ...(replyTo ? { replyTo: toMailbox(replyTo) } : {}),
      subject,
      text,
      html,
      messageId: `<${id}@${emailDomain(address)}>`,
      // Prevents out-of-office replies (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    await sent.catch((error: Error) => this.fail(error));
  }

  /**
   * Connects and authenticates like `send`, but sends nothing.
   * @throws Error from the mail server or the connection
   */
  async verify(): Promise<void> {
    await this.transport.verify().catch((error: Error) => this.fail(error));
  }

  private fail(error: Error): never {
    throw this.requireTls && error.message.includes('STARTTLS')
      ? new Error(missingStartTls(this.setting), { cause: error })
      : error;
  }

  close(): void {
    this.transport.close();
  }
}

/** Removes the URL parameter that would override nodemailer's `requireTLS` option. */
function withoutRequireTls(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  if (!url.searchParams.has('requireTLS')) return smtpUrl;
  url.searchParams.delete('requireTLS');
  return url.href;
}

/**
 * Returns an address object. Nodemailer does not parse it again, so it cannot interpret the address differently
 * (requirement EV-06).
 */
const toMailbox = (address: string): { name: string; address: string } => ({ name: '', address });
