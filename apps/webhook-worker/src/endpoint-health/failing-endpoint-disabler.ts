import { Inject, Injectable } from '@nestjs/common';
import { listWindowDays, hasFailedLongEnough, publicId, type WebhookEndpoint } from '@gatehouse/domain';
import {
  AuditLogRepository,
  endpointDisabledEvent,
  EndpointHealthRepository,
  EventsRepository,
  Transactions,
  WebhookEndpointsRepository,
  type FailingEndpoint,
  type Tx,
} from '@gatehouse/persistence';
import { Config, LOGGER, now, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job/periodic-job.js';

/** Number of endpoints that one statement returns. */
const PAGE_SIZE = 100;

/**
 * Disables endpoints whose attempts in the last three days have all failed: at least five attempts, on at least three
 * different days (contract, section 5). Runs once a minute.
 */
@Injectable()
export class FailingEndpointDisabler extends PeriodicJob {
  constructor(
    private readonly health: EndpointHealthRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly events: EventsRepository,
    private readonly auditLog: AuditLogRepository,
    private readonly transactions: Transactions,
    private readonly config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.webhooks.health.checkInterval, logger, 'failing endpoint check failed');
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const { disableAfter } = this.config.webhooks.health;
    // Reads all pages: endpoints that stay enabled must not hide the endpoints after them.
    let page: FailingEndpoint[] = [];
    do {
      page = await this.health.findFailing(disableAfter, page.at(-1)?.endpointId ?? null, PAGE_SIZE);
      for (const endpoint of page) {
        if (signal.aborted) return;
        await this.disableIfFailing(endpoint);
      }
    } while (page.length === PAGE_SIZE);
  }

  /**
   * Disables an endpoint if the attempt log contains enough failures and no success. The log decides, because a worker
   * may have crashed before it reported a success.
   */
  private async disableIfFailing({ endpointId, failingSince }: FailingEndpoint): Promise<void> {
    const days = listWindowDays(now(), this.config.webhooks.health.disableAfter);
    if (!hasFailedLongEnough(await this.health.countFailures(endpointId, days))) return;
    const successAt = await this.health.findLastSuccess(endpointId, new Date(days[0]!.from));
    if (successAt) return this.health.recordSuccess(endpointId, successAt);
    const disabled = await this.transactions.run((tx) => this.disable(tx, endpointId, failingSince));
    if (!disabled) return;
    const { projectId, organizationId } = disabled;
    this.logger.warn(
      { endpointId, projectId, organizationId, failingSince, disabledReason: disabled.disabledReason },
      'endpoint disabled after three days of failures',
    );
  }

  private async disable(tx: Tx, endpointId: string, failingSince: Date): Promise<WebhookEndpoint | null> {
    const endpoint = await this.endpoints.disableFailing(tx, endpointId, failingSince);
    if (!endpoint) return null;
    this.events.record(tx, [endpointDisabledEvent(endpoint)]);
    this.auditLog.insert(tx, {
      organizationId: endpoint.organizationId,
      projectId: endpoint.projectId,
      actor: { type: 'system', id: null },
      action: 'webhook_endpoint.disabled',
      targetId: publicId('endpoint', endpointId),
      ip: null,
      userAgent: null,
      requestId: null,
      details: { reason: 'failing', failingSince: failingSince.toISOString() },
    });
    return endpoint;
  }
}
