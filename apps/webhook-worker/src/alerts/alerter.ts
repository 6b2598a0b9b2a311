import { Inject, Injectable } from '@nestjs/common';
import { alertText, type AlertChannel, type AlertCondition, type AlertKind } from '@gatehouse/domain';
import { AlertsRepository, BacklogRepository, type ClaimedAlert } from '@gatehouse/persistence';
import {
  alertSecrets,
  Config,
  errorCode,
  errorMessage,
  Keyring,
  LOGGER,
  Mailer,
  type Logger,
} from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';
import {
  createMailAlertSender,
  createWebhookAlertSender,
  type AlertMessage,
  type SendAlert,
} from './alert-senders.js';

/**
 * Tells operators what needs them, by ALERT_WEBHOOK_URL and ALERT_EMAIL: when it begins, when there is more of it, and
 * when it is over. A channel that fails is tried again and holds up nobody.
 */
@Injectable()
export class Alerter extends PeriodicJob {
  private readonly channels: [AlertChannel, SendAlert][] = [];
  private readonly mailer: Mailer | null;

  constructor(
    private readonly backlog: BacklogRepository,
    private readonly alerts: AlertsRepository,
    private readonly config: Config,
    keyring: Keyring,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.alerts.interval, logger, 'alert check failed');
    const { webhookUrl, email } = config.alerts;
    const { smtpUrl, from } = config.mail;
    this.mailer = email && smtpUrl ? new Mailer(smtpUrl, from) : null;
    if (webhookUrl)
      this.channels.push(['webhook', createWebhookAlertSender(webhookUrl, alertSecrets(keyring))]);
    if (email && this.mailer) this.channels.push(['email', createMailAlertSender(email, this.mailer)]);
  }

  override start(): void {
    if (this.channels.length > 0) super.start();
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.mailer?.close();
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const troubles = await this.backlog.findAlertConditions(this.config.alerts.overdueAfter);
    const open = await this.alerts.listOpen();
    const isOver = (kind: AlertKind): boolean => troubles.every((trouble) => trouble.kind !== kind);
    await Promise.all(
      this.channels.flatMap(([channel, send]) => {
        const sendNow = (message: AlertMessage): Promise<void> => send(message, signal);
        return [
          ...troubles.map((trouble) => this.notify(channel, sendNow, trouble.kind, trouble)),
          ...open
            .filter((told) => told.channel === channel && isOver(told.kind))
            .map(({ kind }) => this.notify(channel, sendNow, kind, null)),
        ];
      }),
    );
  }

  /** @param trouble null when it is over */
  private async notify(
    channel: AlertChannel,
    send: (message: AlertMessage) => Promise<void>,
    kind: AlertKind,
    trouble: AlertCondition | null,
  ): Promise<void> {
    const { alerts } = this.config;
    const claimed = trouble
      ? await this.alerts.claim(channel, trouble, alerts)
      : await this.alerts.claimResolution(channel, kind, alerts);
    if (!claimed) return;
    const line = { channel, kind, state: trouble ? 'open' : 'over' };
    try {
      await send(this.buildMessage(claimed, kind, trouble));
      await this.alerts.recordSent(claimed, trouble);
      this.logger.info(line, 'alert sent');
    } catch (error) {
      // The claim ends by itself; then it is tried again.
      this.logger.warn({ ...line, reason: errorReason(error) }, 'alert delivery failed');
    }
  }

  private buildMessage({ id, told }: ClaimedAlert, kind: AlertKind, trouble: AlertCondition | null) {
    const { publicUrl } = this.config;
    const data = {
      kind,
      state: trouble ? 'open' : 'over',
      count: trouble?.count ?? 0,
      since: trouble?.since.toISOString() ?? null,
      public_url: publicUrl,
    };
    return { id: `alert_${id}_${told}`, ...alertText(kind, trouble, publicUrl), data };
  }
}

/** Returns why an alert was not sent, without the URL, which may be secret. */
function errorReason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return errorMessage(cause) || errorCode(cause);
}
