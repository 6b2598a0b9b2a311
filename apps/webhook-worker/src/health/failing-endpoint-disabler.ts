import { Inject, Injectable } from '@nestjs/common';
import { publicId, type WebhookEndpoint } from '@gatehouse/domain';
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
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';

/** Maximum number of endpoints that one check disables. The next check handles the rest. */
const MAX_ENDPOINTS_PER_CHECK = 100;

/**
 * Disables endpoints whose attempts have all failed for three days (contract, section 5). Runs once a minute.
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
    super(config.webhooks.health.checkInterval, logger, 'check for failing endpoints failed');
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const failing = await this.health.findFailing(
      this.config.webhooks.health.disableAfter,
      MAX_ENDPOINTS_PER_CHECK,
    );
    for (const endpoint of failing) {
      if (signal.aborted) return;
      await this.disableIfFailing(endpoint);
    }
  }

  /**
   * Disables an endpoint unless the attempt log contains a success. A worker that crashed may not have
   * reported it.
   */
  private async disableIfFailing({ endpointId, failingSince }: FailingEndpoint): Promise<void> {
    const successAt = await this.health.findLastSuccess(endpointId, failingSince);
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
