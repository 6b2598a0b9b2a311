import { Inject, Injectable } from '@nestjs/common';
import { MailsRepository, type Mail } from '@gatehouse/persistence';
import {
  Config,
  errorMessage,
  Keyring,
  LOGGER,
  Mailer,
  mailTtl,
  now,
  renderMail,
  type Logger,
  type RenderedMail,
} from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';

const CLAIM_LIMIT = 20;

/** Maximum pause after a failed attempt, in ms. The pause doubles after each attempt. */
const MAX_PAUSE_MS = 15 * 60_000;

/** Sends pending emails, or marks them as captured if no mail server is configured. */
@Injectable()
export class MailSender extends PeriodicJob {
  private readonly mailer: Mailer | null;

  constructor(
    private readonly mails: MailsRepository,
    private readonly keyring: Keyring,
    private readonly config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.webhooks.sweepInterval, logger, 'email claim failed');
    const { smtpUrl, requireTls, from } = config.mail;
    this.mailer = smtpUrl ? new Mailer(smtpUrl, requireTls, from) : null;
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.mailer?.close();
  }

  protected async run(): Promise<void> {
    const due = await this.mails.claimDue(CLAIM_LIMIT);
    await Promise.all(due.map((mail) => this.handle(mail)));
  }

  private async handle(mail: Mail): Promise<void> {
    const ttlMs = mailTtl(mail.kind) * 1_000;
    try {
      // After a long outage, an email with an expired link would only confuse the recipient.
      if (now().getTime() - mail.createdAt.getTime() > ttlMs)
        throw new Error('the link in the email has expired');
      await this.deliver(mail, renderMail(mail, this.keyring, this.config.publicUrl));
    } catch (error) {
      const pauseMs = Math.min(1_000 * 2 ** mail.attempts, MAX_PAUSE_MS);
      await this.mails.retryOrFail(mail, pauseMs, ttlMs);
      this.logger.warn(
        { mailId: mail.id, attempts: mail.attempts, reason: errorMessage(error) },
        'email delivery failed',
      );
    }
  }

  private async deliver(mail: Mail, rendered: RenderedMail): Promise<void> {
    if (this.mailer) {
      await this.mailer.send(mail.id, rendered);
      await this.mails.markSent(mail);
      this.logger.info({ mailId: mail.id, kind: mail.kind }, 'email sent');
    } else {
      await this.mails.markCaptured(mail);
      // The only log message that contains a link. Without a mail server, the link would not be available
      // otherwise.
      this.logger.info(
        { mailId: mail.id, kind: mail.kind, link: rendered.link },
        'email captured; SMTP_URL is not set',
      );
    }
  }
}
