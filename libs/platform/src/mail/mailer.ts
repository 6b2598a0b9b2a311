import { createTransport, type Transporter } from 'nodemailer';
import { emailDomain, type Sender } from './sender.js';

export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Replaces the configured name of the sender; null to use the configured name. */
  fromName: string | null;
  replyTo: string | null;
}

/** Sends emails over SMTP with a connection pool. */
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
   * Sends an email.
   * @param id the id of the email. The Message-ID contains it, so that an email that is sent again after a
   *   crash can be recognized as a duplicate.
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
      // Prevents out-of-office replies (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  }

  close(): void {
    this.transport.close();
  }
}

/**
 * Returns an address object, which nodemailer does not parse again, so that the address cannot be interpreted
 * differently (requirement EV-06).
 */
const toMailbox = (address: string): { name: string; address: string } => ({ name: '', address });
