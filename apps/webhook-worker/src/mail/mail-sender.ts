import { Inject, Injectable } from '@nestjs/common';
import { MailsRepository, type ClaimedMail, type Mail } from '@gatehouse/persistence';
import {
  Config,
  errorMessage,
  Keyring,
  LOGGER,
  Mailer,
  mailTtl,
  now,
  renderMail,
  runInSpan,
  smtpFailure,
  tracing,
  UnreadableValues,
  WorkerMetrics,
  type Logger,
  type RenderedMail,
} from '@gatehouse/platform';
import { WorkJob } from '../periodic-job/work-job.js';

const CLAIM_LIMIT = 20;

/** Maximum pause after a failed attempt, in ms. The pause doubles after each attempt. */
const MAX_PAUSE_MS = 15 * 60_000;

/** Sends pending emails, or marks them as captured if no mail server is configured. */
@Injectable()
export class MailSender extends WorkJob {
  private readonly mailer: Mailer | null;

  constructor(
    private readonly mails: MailsRepository,
    private readonly keyring: Keyring,
    private readonly unreadable: UnreadableValues,
    private readonly config: Config,
    @Inject(WorkerMetrics) private readonly metrics: WorkerMetrics | null,
    @Inject(LOGGER) logger: Logger,
  ) {
    super('mails', logger, 'email claim failed');
    const { smtpUrl, requireTls, from } = config.mail;
    this.mailer = smtpUrl ? new Mailer(smtpUrl, requireTls, from) : null;
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.mailer?.close();
  }

  protected async run(): Promise<void> {
    const claimStart = now();
    const due = await this.mails.claimDue(CLAIM_LIMIT);
    await Promise.all(due.map((mail) => this.handleInTrace(mail, claimStart)));
  }

  /** Handles an email within the trace that created it. */
  private handleInTrace(mail: ClaimedMail, startTime: Date): Promise<void> {
    const handle = (): Promise<void> => {
      tracing?.record({ name: 'claim email', kind: 'INTERNAL', startTime }, now());
      return this.handle(mail);
    };
    return runInSpan(() => describeMail(mail, startTime), handle, mail.traceparent);
  }

  private async handle(mail: Mail): Promise<void> {
    // After a long outage, an email with an expired link would only confuse the recipient.
    if (now().getTime() - mail.createdAt.getTime() > mailTtl(mail.kind) * 1_000) {
      await this.mails.fail(mail, 'expired', null);
      this.metrics?.recordMail('expired');
      return this.logFailure(mail, 'the link in the email has expired');
    }
    try {
      await this.deliver(mail, renderMail(mail, this.keyring, this.config.publicUrl));
    } catch (error) {
      this.unreadable.report(error, { mailId: mail.id });
      const { response, isPermanent } = smtpFailure(error);
      if (isPermanent) await this.mails.fail(mail, 'rejected', response);
      else {
        const pauseMs = Math.min(1_000 * 2 ** mail.attempts, MAX_PAUSE_MS);
        await this.mails.retry(mail, pauseMs, response);
      }
      this.metrics?.recordMail(isPermanent ? 'rejected' : 'postponed');
      this.logFailure(mail, errorMessage(error));
    }
  }

  private logFailure({ id, attempts }: Mail, reason: string): void {
    this.logger.warn({ mailId: id, attempts, reason }, 'email delivery failed');
  }

  private async deliver(mail: Mail, rendered: RenderedMail): Promise<void> {
    const { mailer } = this;
    if (mailer) {
      await runInSpan(
        () => describeConnection(this.config.mail.smtpUrl!),
        () => mailer.send(mail.id, rendered),
      );
      await this.mails.markSent(mail);
      this.metrics?.recordMail('sent');
      this.logger.info({ mailId: mail.id, kind: mail.kind }, 'email sent');
    } else {
      await this.mails.markCaptured(mail);
      this.metrics?.recordMail('captured');
      // The only log message that contains a link. Without a mail server, the recipient does not receive it in any
      // other way.
      this.logger.info(
        { mailId: mail.id, kind: mail.kind, link: rendered.link },
        'email captured; SMTP_URL is not set',
      );
    }
  }
}

/** Returns the options of an email's span, which starts with the claim. */
const describeMail = ({ id, kind, attempts }: Mail, startTime: Date) => ({
  name: 'deliver email',
  kind: 'CONSUMER' as const,
  startTime,
  attributes: { 'gatehouse.mail_id': id, 'gatehouse.mail_kind': kind, 'gatehouse.attempt': attempts },
});

/** Returns the options of an SMTP transaction's span. */
function describeConnection(smtpUrl: string) {
  const { hostname, port } = new URL(smtpUrl);
  const attributes = { 'server.address': hostname, ...(port ? { 'server.port': Number(port) } : {}) };
  return { name: 'send email', kind: 'CLIENT' as const, attributes };
}
