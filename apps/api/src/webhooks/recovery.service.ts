import { Injectable } from '@nestjs/common';
import { callerName, type ManagementCaller } from '@gatehouse/auth';
import { GatehouseError, invalidField, publicId, subscribedEventTypes, unavailable } from '@gatehouse/domain';
import {
  MAX_CLOCK_SKEW_MS,
  startOfDay,
  planRecovery,
  RedeliveryBatchesRepository,
  Transactions,
  WebhookEndpointsRepository,
  type RedeliveryBatch,
} from '@gatehouse/persistence';
import { Config, newId, now, sleep } from '@gatehouse/platform';
import { parseTime } from '../http/input/time-field.js';
import { AuditService } from '../audit/audit.service.js';
import type { RecoverRequest } from './dto/redelivery.request.js';
import { endpointAction } from './endpoint-action.js';
import { tooLargeError } from './redeliveries.service.js';

/** Polling interval in ms and maximum number of polls while earlier write transactions finish: two seconds in total. */
const POLL_MS = 20;
const MAX_POLLS = 100;

/** Delivers events that an endpoint missed, for example while it was disabled. */
@Injectable()
export class RecoveryService {
  constructor(
    private readonly batches: RedeliveryBatchesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly config: Config,
  ) {}

  /**
   * Starts the delivery of every event in a time range that the endpoint subscribes to, unless a delivery to this
   * endpoint has succeeded or is pending.
   * @throws GatehouseError `not_found`, `endpoint_disabled`, `validation_failed`, `unavailable`
   */
  async recover(
    caller: ManagementCaller,
    endpointId: string,
    input: RecoverRequest,
  ): Promise<RedeliveryBatch> {
    const { accessScope } = caller;
    const { since, until, last } = this.resolveRange(input);
    const before = await this.endpoints.get(accessScope, endpointId);
    const recoverAction = endpointAction('webhook_endpoint.recovered', before);
    const disabledError = (): Error =>
      this.audit.noteRejection(recoverAction, new GatehouseError('endpoint_disabled'));
    if (before.status !== 'enabled') throw disabledError();
    await this.waitForEventWriters();
    const [id, by] = [newId(), callerName(caller)];
    await this.transactions.join(async (tx) => {
      const endpoint = await this.endpoints.lock(tx, accessScope, endpointId);
      if (endpoint.status !== 'enabled') throw disabledError();
      // Events written since then may have used a different state of the endpoint, such as other subscriptions or a
      // disabled status.
      if (endpoint.updatedAt.getTime() !== before.updatedAt.getTime()) {
        throw unavailable({ detail: 'The endpoint was changed at the same time. Retry the recovery.' });
      }
      const publicEndpointId = publicId('endpoint', endpointId);
      const { organizationId, projectId } = endpoint;
      const filter = {
        endpoint_id: publicEndpointId,
        since: since.toISOString(),
        until: until.toISOString(),
      };
      await this.batches.insert(tx, {
        id,
        organizationId,
        projectId,
        kind: 'recovery',
        filter,
        createdBy: by,
      });
      const types = subscribedEventTypes(endpoint.events);
      const plan = await planRecovery(tx, id, endpoint, { types, since, until: last, publicEndpointId });
      if (plan.isTooLarge) throw tooLargeError('since', 'until');
      await this.batches.savePlan(tx, id, plan);
      await this.batches.start(tx, accessScope, id, { reason: null, by });
      const details = { redelivery: publicId('redelivery', id), eligible: plan.eligible };
      this.audit.record(tx, { ...recoverAction, details });
    });
    return this.batches.get(accessScope, id);
  }

  /** @throws GatehouseError `validation_failed` */
  private resolveRange(input: RecoverRequest): { since: Date; until: Date; last: Date } {
    const requestedAt = now();
    const since = parseTime(input.since)!;
    const until = parseTime(input.until) ?? requestedAt;
    if (since >= until || since > requestedAt) {
      throw invalidField('since', 'invalid', 'since must be in the past and before until');
    }
    const oldestStored = startOfDay(requestedAt.getTime() - this.config.webhooks.retention);
    if (since.getTime() < oldestStored) {
      const oldest = new Date(oldestStored).toISOString();
      throw invalidField(
        'since',
        'too_early',
        `since must not be before ${oldest}, because older events are no longer stored`,
      );
    }
    // The clock of another API process may be ahead. Events written from now on have a delivery and are therefore not
    // recovered.
    const last = input.until ? until : new Date(requestedAt.getTime() + MAX_CLOCK_SKEW_MS);
    return { since, until, last };
  }

  /**
   * Waits for transactions that are writing events. A transaction that began while the endpoint was disabled may
   * contain an event without a delivery, and commit it after the plan. Later transactions read the enabled endpoint.
   * @throws GatehouseError `unavailable` if one of the transactions takes too long
   */
  private async waitForEventWriters(): Promise<void> {
    let writers = await this.batches.listEventWriters();
    for (let polls = 0; polls < MAX_POLLS && writers.length > 0; polls += 1) {
      await sleep(POLL_MS);
      const writing = new Set(await this.batches.listEventWriters());
      writers = writers.filter((writer) => writing.has(writer));
    }
    if (writers.length > 0) {
      throw unavailable({
        detail: 'An older write transaction on this PostgreSQL server has not finished. Retry later.',
      });
    }
  }
}
