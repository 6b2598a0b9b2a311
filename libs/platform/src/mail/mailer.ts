import { createTransport, type Transporter } from 'nodemailer';

export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Sends mail over SMTP with a pool of connections. */
export class Mailer {
  private readonly transport: Transporter;

  constructor(
    smtpUrl: string,
    private readonly from: string,
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

  /** @throws Error of the mail server or the connection */
  async send(mail: OutgoingMail): Promise<void> {
    // An address object is never parsed again, so no second reading of it can differ (requirement EV-06).
    await this.transport.sendMail({ ...mail, from: this.from, to: { name: '', address: mail.to } });
  }

  close(): void {
    this.transport.close();
  }
}
