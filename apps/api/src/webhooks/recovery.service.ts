import { Injectable } from '@nestjs/common';
import { callerName, type ManagementCaller } from '@gatehouse/auth';
import { GatehouseError, invalidField, publicId, subscribedEventTypes, unavailable } from '@gatehouse/domain';
import {
  CLOCK_SLACK_MS,
  dayOf,
  planRecovery,
  RedeliveryBatchesRepository,
  Transactions,
  WebhookEndpointsRepository,
  type RedeliveryBatch,
} from '@gatehouse/persistence';
import { Config, newId, now, sleep } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { parseTime } from '../http/fields.js';
import type { RecoverRequest } from './dto/redelivery.request.js';
import { endpointAction } from './endpoint-action.js';
import { tooLargeError } from './redeliveries.service.js';

/** How often, and how many times, it is looked whether what was under way has ended: two seconds in all. */
const POLL_MS = 20;
const MAX_POLLS = 100;

/** Brings back what an endpoint has missed, such as while it was disabled. */
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
   * Begins to deliver every event of a span of time that the endpoint hears and that has no succeeded or pending
   * delivery here.
   * @throws GatehouseError `not_found`, `endpoint_disabled`, `validation_failed`, `unavailable`
   */
  async recover(
    caller: ManagementCaller,
    endpointId: string,
    input: RecoverRequest,
  ): Promise<RedeliveryBatch> {
    const { reach } = caller;
    const { since, until, last } = this.resolveRange(input);
    const found = await this.endpoints.get(reach, endpointId);
    const recovered = endpointAction('webhook_endpoint.recovered', found);
    const disabled = (): Error => this.audit.noteRefusal(recovered, new GatehouseError('endpoint_disabled'));
    if (found.status !== 'enabled') throw disabled();
    await this.waitForEventWriters();
    const [id, by] = [newId(), callerName(caller)];
    await this.transactions.run(async (tx) => {
      const endpoint = await this.endpoints.lock(tx, reach, endpointId);
      if (endpoint.status !== 'enabled') throw disabled();
      // What was written meanwhile may have been written for another one: for other events, or while it was disabled.
      if (endpoint.updatedAt.getTime() !== found.updatedAt.getTime()) {
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
      await this.batches.start(tx, reach, id, { reason: null, by });
      const details = { redelivery: publicId('redelivery', id), eligible: plan.eligible };
      await this.audit.record(tx, { ...recovered, details });
    });
    return this.batches.get(reach, id);
  }

  /** @throws GatehouseError `validation_failed` */
  private resolveRange(input: RecoverRequest): { since: Date; until: Date; last: Date } {
    const at = now();
    const since = parseTime(input.since)!;
    const until = parseTime(input.until) ?? at;
    if (since >= until || since > at) {
      throw invalidField('since', 'invalid', 'since must be in the past and before until');
    }
    const kept = dayOf(at.getTime() - this.config.webhooks.retention);
    if (since.getTime() < kept) {
      const oldest = new Date(kept).toISOString();
      throw invalidField(
        'since',
        'too_early',
        `since must not be before ${oldest}, because older events are no longer stored`,
      );
    }
    // Events of now may be later by the clock of another api. Those that come have a delivery: they were not missed.
    const last = input.until ? until : new Date(at.getTime() + CLOCK_SLACK_MS);
    return { since, until, last };
  }

  /**
   * Waits for the events that are being written: a transaction that began when the endpoint was disabled may hold one
   * without a delivery, and would commit it behind the plan. Later ones see the endpoint enabled.
   * @throws GatehouseError `unavailable` when one of them takes too long
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
