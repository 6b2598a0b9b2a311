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

/** Pause after a failed try: doubled each time, at most this, in ms. */
const MAX_PAUSE_MS = 15 * 60_000;

/** Sends the mails that were written with their causes, or keeps them when there is no mail server. */
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
    this.mailer = config.mail.smtpUrl ? new Mailer(config.mail.smtpUrl, config.mail.from) : null;
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
    const lifeMs = mailTtl(mail.kind) * 1_000;
    try {
      // After a long outage: a link that no longer works would only confuse.
      if (now().getTime() - mail.createdAt.getTime() > lifeMs)
        throw new Error('the link in the email has expired');
      await this.deliver(mail, renderMail(mail, this.keyring, this.config.publicUrl));
    } catch (error) {
      const pauseMs = Math.min(1_000 * 2 ** mail.attempts, MAX_PAUSE_MS);
      await this.mails.retryOrFail(mail, pauseMs, lifeMs);
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
      // The only log line that ever holds a link: without a mail server nobody could open it otherwise.
      this.logger.info(
        { mailId: mail.id, kind: mail.kind, link: rendered.link },
        'email captured; SMTP_URL is not set',
      );
    }
  }
}
