import { Inject, Injectable } from '@nestjs/common';
import {
  alertKinds,
  alertText,
  testAlertText,
  type AlertChannel,
  type AlertCondition,
  type AlertDestination,
  type AlertKind,
} from '@gatehouse/domain';
import {
  AlertLogRepository,
  AlertsRepository,
  BacklogRepository,
  type ClaimedAlert,
  type QueuedTestAlert,
} from '@gatehouse/persistence';
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
import { PeriodicJob } from '../periodic-job/periodic-job.js';
import {
  createMailAlertSender,
  createWebhookAlertSender,
  type AlertMessage,
  type SendAlert,
} from './alert-senders.js';

/**
 * Notifies operators of conditions that require their attention: when a condition begins, when it gets worse, and when
 * it ends. Writes to the log, and sends to ALERT_WEBHOOK_URL and ALERT_EMAIL. A failed channel is retried and does not
 * delay the others.
 */
@Injectable()
export class Alerter extends PeriodicJob {
  private readonly channels: [AlertChannel, SendAlert][] = [];
  private readonly mailer: Mailer | null;

  constructor(
    private readonly backlog: BacklogRepository,
    private readonly alerts: AlertsRepository,
    private readonly log: AlertLogRepository,
    private readonly config: Config,
    keyring: Keyring,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.alerts.interval, logger, 'alert check failed');
    const { webhookUrl, email, mailServer } = config.alerts;
    this.mailer =
      email && mailServer
        ? new Mailer(mailServer.smtpUrl, mailServer.requireTls, config.mail.from, mailServer.setting)
        : null;
    if (webhookUrl)
      this.channels.push(['webhook', createWebhookAlertSender(webhookUrl, alertSecrets(keyring))]);
    if (email && this.mailer) this.channels.push(['email', createMailAlertSender(email, this.mailer)]);
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.mailer?.close();
  }

  protected async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.sendTests(signal), this.checkConditions(signal)]);
  }

  /** Sends the test alerts that operators have requested. */
  private async sendTests(signal: AbortSignal): Promise<void> {
    const tests = await this.log.claimTests();
    await Promise.all(tests.map((test) => this.sendTest(test, signal)));
  }

  private async sendTest({ id, messageId, channel }: QueuedTestAlert, signal: AbortSignal): Promise<void> {
    const send = this.channels.find(([name]) => name === channel)?.[1];
    const { publicUrl } = this.config;
    const data = { kind: 'test', state: 'test', public_url: publicUrl };
    let reason: string | null = null;
    try {
      if (!send) throw new Error(`${channelSettings[channel]} is not set in the worker's environment`);
      await send({ id: messageId, ...testAlertText(publicUrl), data }, signal);
    } catch (error) {
      reason = errorReason(error);
    }
    await this.log.recordTest(id, reason);
    if (reason === null) this.logger.info({ channel }, 'test alert sent');
    else this.logger.warn({ channel, reason }, 'test alert delivery failed');
  }

  private async checkConditions(signal: AbortSignal): Promise<void> {
    const conditions = await this.backlog.findAlertConditions(this.config.alerts.overdueAfter);
    const openAlerts = await this.alerts.listOpen();
    // During an upgrade, a newer worker may have opened an alert of a kind that this worker cannot check.
    const resolved = openAlerts.filter(
      ({ kind }) => alertKinds.includes(kind) && conditions.every((condition) => condition.kind !== kind),
    );
    /** Returns the current problems, and the problems that have ended since they were reported. */
    const listChanges = (destination: AlertDestination): [AlertKind, AlertCondition | null][] => [
      ...conditions
        .filter(({ kind }) => this.canReport(kind, destination))
        .map((condition): [AlertKind, AlertCondition] => [condition.kind, condition]),
      ...resolved
        .filter(({ channel }) => channel === destination)
        .map(({ kind }): [AlertKind, null] => [kind, null]),
    ];
    await Promise.all([
      ...listChanges('log').map((change) => this.logAlert(...change)),
      ...this.channels.flatMap(([channel, send]) =>
        listChanges(channel).map((change) =>
          this.notify(channel, (message) => send(message, signal), ...change),
        ),
      ),
    ]);
  }

  /** Returns false for a mail server failure that would be reported through the same mail server. */
  private canReport(kind: AlertKind, destination: AlertDestination): boolean {
    if (kind !== 'mail_delivery_failing' || destination !== 'email') return true;
    return this.config.alerts.mailServer?.isSeparate === true;
  }

  /** Claims an alert unless it has already been sent. @param condition null if the condition has ended */
  private claim(
    destination: AlertDestination,
    kind: AlertKind,
    condition: AlertCondition | null,
  ): Promise<ClaimedAlert | null> {
    const { alerts } = this.config;
    return condition
      ? this.alerts.claim(destination, condition, alerts)
      : this.alerts.claimResolution(destination, kind, alerts);
  }

  /** Logs an alert, unless another worker has logged it. @param condition null if the condition has ended */
  private async logAlert(kind: AlertKind, condition: AlertCondition | null): Promise<void> {
    const claimed = await this.claim('log', kind, condition);
    if (!claimed) return;
    if (condition) {
      const { count, since } = condition;
      this.logger.warn({ kind, count, since: since.toISOString() }, 'alert opened');
    } else this.logger.info({ kind }, 'alert resolved');
    await this.alerts.recordSent(claimed, condition);
  }

  /** Sends an alert. @param condition null if the condition has ended */
  private async notify(
    channel: AlertChannel,
    send: (message: AlertMessage) => Promise<void>,
    kind: AlertKind,
    condition: AlertCondition | null,
  ): Promise<void> {
    const claimed = await this.claim(channel, kind, condition);
    if (!claimed) return;
    const logFields = { channel, kind, state: condition ? 'open' : 'over' };
    const message = this.buildMessage(claimed, kind, condition);
    let reason: string | null = null;
    try {
      await send(message);
      await this.alerts.recordSent(claimed, condition);
      this.logger.info(logFields, 'alert sent');
    } catch (error) {
      // The alert is sent again after the claim has expired.
      reason = errorReason(error);
      this.logger.warn({ ...logFields, reason }, 'alert delivery failed');
    }
    await this.log.recordAttempt({ messageId: message.id, kind, channel, condition }, reason);
  }

  private buildMessage(
    { id, notifications }: ClaimedAlert,
    kind: AlertKind,
    condition: AlertCondition | null,
  ) {
    const { publicUrl } = this.config;
    const data = {
      kind,
      state: condition ? 'open' : 'over',
      count: condition?.count ?? 0,
      since: condition?.since.toISOString() ?? null,
      public_url: publicUrl,
    };
    return { id: `alert_${id}_${notifications}`, ...alertText(kind, condition, publicUrl), data };
  }
}

/** The setting for each channel. */
const channelSettings: Record<AlertChannel, string> = {
  webhook: 'ALERT_WEBHOOK_URL',
  email: 'ALERT_EMAIL',
};

/** Returns the cause of a failed alert. It does not contain the URL, which may be secret. */
function errorReason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return errorMessage(cause) || errorCode(cause);
}
