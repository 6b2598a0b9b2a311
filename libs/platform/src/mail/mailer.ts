import { createTransport, type Transporter } from 'nodemailer';
import { emailDomain, type Sender } from './sender.js';

export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Instead of the sender's own name; null: that one. */
  fromName: string | null;
  replyTo: string | null;
}

/** Sends mail over SMTP with a pool of connections. */
export class Mailer {
  private readonly transport: Transporter;

  constructor(
    smtpUrl: string,
    private readonly sender: Sender,
  ) {
    this.transport = createTransport({
      url: smtpUrl,
      pool: true,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /**
   * @param id of the mail. Its Message-ID is made of it, so a mail that is sent again after a crash is
   *   recognisable as the same one.
   * @throws Error of the mail server or the connection
   */
  async send(id: string, { to, subject, text, html, fromName, replyTo }: OutgoingMail): Promise<void> {
    const { name, address } = this.sender;
    await this.transport.sendMail({
      from: { name: fromName ?? name, address },
      to: toMailbox(to),
      ...(replyTo ? { replyTo: toMailbox(replyTo) } : {}),
      subject,
      text,
      html,
      messageId: `<${id}@${emailDomain(address)}>`,
      // RFC 3834: no out-of-office reply, please.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  }

  close(): void {
    this.transport.close();
  }
}

/** An address object is never parsed again, so no second reading of it can differ (requirement EV-06). */
const toMailbox = (address: string): { name: string; address: string } => ({ name: '', address });
