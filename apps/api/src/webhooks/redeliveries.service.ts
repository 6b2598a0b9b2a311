import { Injectable } from '@nestjs/common';
import { callerName, type ManagementCaller } from '@gatehouse/auth';
import {
  GatehouseError,
  invalidField,
  MAX_BATCH_SIZE,
  notFound,
  publicId,
  type AuditAction,
  type AccessScope,
} from '@gatehouse/domain';
import {
  DeliveriesRepository,
  EventFeedRepository,
  isDeadLetter,
  OrganizationsRepository,
  planRedelivery,
  ProjectsRepository,
  RedeliveryBatchesRepository,
  Transactions,
  WebhookEndpointsRepository,
  type CappedCount,
  type DeliveryFilter,
  type NewRedeliveryBatch,
  type RedeliveryBatch,
  type Tx,
} from '@gatehouse/persistence';
import { CursorCodec, newId } from '@gatehouse/platform';
import { AuditService, type AuditedAction } from '../audit/audit.service.js';
import { readPage, type Page } from '../http/lists/paging.js';
import { SearchTermsService, type SearchConditions } from '../search/search-terms.service.js';
import { deliveryFilter, narrowFilter } from './delivery-filter.js';
import type {
  CountRedeliveriesQuery,
  SearchRedeliveriesQuery,
  SearchRedeliveryFilterRequest,
} from './dto/delivery-search.request.js';
import type { StartRedeliveryRequest } from './dto/redelivery.request.js';
import { assertMayEnable, EndpointEnablerService } from './endpoint-enabler.service.js';

/**
 * Plans, starts and cancels bulk redeliveries. A plan fixes the selection. Once it is started, the worker creates the
 * deliveries gradually.
 */
@Injectable()
export class RedeliveriesService {
  constructor(
    private readonly batches: RedeliveryBatchesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly enabler: EndpointEnablerService,
    private readonly organizations: OrganizationsRepository,
    private readonly projects: ProjectsRepository,
    private readonly events: EventFeedRepository,
    private readonly searchTerms: SearchTermsService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Creates a plan with the deliveries that currently match the filter. Nothing is delivered before the plan
   * is started.
   * @throws GatehouseError `not_found` if a resource in the filter does not exist, `validation_failed` if too
   *   many deliveries match
   */
  async plan(caller: ManagementCaller, input: SearchRedeliveryFilterRequest): Promise<RedeliveryBatch> {
    const { accessScope } = caller;
    const requested = deliveryFilter(input);
    const base = input.resolution ? isDeadLetter : baseCondition(requested);
    await this.assertReferencesExist(accessScope, requested);
    const conditions = await this.searchTerms.conditionsOf(input, accessScope);
    const filter = narrowFilter(requested, conditions);
    if (!filter) throw notFound();
    const batch = {
      id: newId(),
      organizationId: caller.project?.organizationId ?? null,
      organizationIds: caller.kind === 'operator' ? accessScope.organizationIds : null,
      projectId: accessScope.projectId,
      kind: 'redelivery' as const,
      createdBy: callerName(caller),
    };
    await this.transactions.join(async (tx) => {
      await this.batches.insert(tx, { ...batch, filter: storedFilter(input, conditions) });
      const plan = await planRedelivery(tx, batch.id, accessScope, filter, base);
      if (plan.isTooLarge) throw tooLargeError('filter', 'created_before or created_after');
      await this.batches.savePlan(tx, batch.id, plan);
      const details = { total: plan.total, eligible: plan.eligible };
      this.recordAction(tx, 'webhook_redelivery.planned', batch, details);
    });
    return this.batches.get(accessScope, batch.id);
  }

  /** @throws GatehouseError `invalid_cursor` */
  list({ accessScope }: ManagementCaller, query: SearchRedeliveriesQuery): Promise<Page<RedeliveryBatch>> {
    const { state } = query;
    return readPage(this.cursors, ['redeliveries', { ...accessScope, state }], query, (before, limit) =>
      this.batches.list(accessScope, state ?? null, before, limit),
    );
  }

  count({ accessScope }: ManagementCaller, { state }: CountRedeliveriesQuery): Promise<CappedCount> {
    return this.batches.count(accessScope, state ?? null);
  }

  /** @throws GatehouseError `not_found` */
  get({ accessScope }: ManagementCaller, id: string): Promise<RedeliveryBatch> {
    return this.batches.get(accessScope, id);
  }

  /**
   * Starts a plan. Does nothing if it is already running; the reason does not change.
   * @throws GatehouseError `not_found`, `conflict`, `insufficient_scope` if the key may not enable endpoints
   */
  async start(
    caller: ManagementCaller,
    id: string,
    { reason, enable_endpoint: enablesEndpoints = false }: StartRedeliveryRequest,
  ): Promise<RedeliveryBatch> {
    if (enablesEndpoints) assertMayEnable(caller);
    return this.transition(caller, id, 'webhook_redelivery.started', {
      to: 'running',
      apply: async (tx) => {
        const isStarted = await this.batches.start(tx, caller.accessScope, id, {
          reason,
          by: callerName(caller),
        });
        if (isStarted && enablesEndpoints)
          await this.enabler.enableAll(tx, await this.batches.admitDisabled(tx, id));
        return isStarted;
      },
      details: { reason, ...(enablesEndpoints && { enablesEndpoints }) },
    });
  }

  /**
   * Cancels a redelivery. Does nothing if it is already canceled.
   * @throws GatehouseError `not_found`, `conflict`
   */
  cancel(caller: ManagementCaller, id: string): Promise<RedeliveryBatch> {
    return this.transition(caller, id, 'webhook_redelivery.cancelled', {
      to: 'cancelled',
      apply: (tx) => this.batches.cancel(tx, caller.accessScope, id, callerName(caller)),
    });
  }

  private async transition(
    { accessScope }: ManagementCaller,
    id: string,
    action: BatchAction,
    { to, apply, details }: Transition,
  ): Promise<RedeliveryBatch> {
    const batch = await this.batches.get(accessScope, id);
    const isChanged = await this.transactions.join(async (tx) => {
      const changed = await apply(tx);
      if (changed) this.recordAction(tx, action, batch, details);
      return changed;
    });
    const after = await this.batches.get(accessScope, id);
    if (isChanged || after.state === to) return after;
    const detail =
      after.state === 'planned'
        ? 'The plan has expired and cannot be started.'
        : `The redelivery is ${after.state}.`;
    const error = new GatehouseError('conflict', { detail });
    for (const rejected of batchActions(action, batch)) this.audit.noteRejection(rejected, error);
    throw error;
  }

  private recordAction(
    tx: Tx,
    action: BatchAction,
    batch: BatchOwner,
    details?: Record<string, unknown>,
  ): void {
    for (const each of batchActions(action, batch)) this.audit.record(tx, { ...each, details });
  }

  /**
   * Rejects a filter with an id that does not exist, because a typo would otherwise silently select nothing.
   * @throws GatehouseError `not_found`
   */
  private async assertReferencesExist(accessScope: AccessScope, filter: DeliveryFilter): Promise<void> {
    const { organizationId, projectId, endpointId, eventId, deliveryIds } = filter;
    if (organizationId) await this.organizations.get(accessScope, organizationId);
    if (projectId) await this.projects.get(accessScope, projectId);
    if (endpointId) await this.endpoints.get(accessScope, endpointId);
    if (eventId && !(await this.events.find(accessScope, eventId))) throw notFound();
    if (!deliveryIds) return;
    if ((await this.deliveries.count(accessScope, deliveryIds)) < deliveryIds.length) throw notFound();
  }
}

/**
 * Returns the filter as it was sent, but with customer ids in place of an email address, because the address must not
 * remain after the customer is deleted.
 */
const storedFilter = (
  { q, ...rest }: SearchRedeliveryFilterRequest,
  conditions: SearchConditions | null,
): Record<string, unknown> => ({
  ...rest,
  ...(q !== undefined && (conditions?.customerIds ? { customer_ids: conditions.customerIds } : { q })),
});

type BatchAction = Extract<AuditAction, `webhook_redelivery.${string}`>;

interface Transition {
  to: RedeliveryBatch['state'];
  /** Applies the transition. Returns false if the state does not allow it. */
  apply: (tx: Tx) => Promise<boolean>;
  /** Details for the audit log. */
  details?: Record<string, unknown>;
}

type BatchOwner = Pick<NewRedeliveryBatch, 'id' | 'organizationId' | 'organizationIds' | 'projectId'>;

/**
 * Returns the actions on a batch for the audit log. For an operator who is limited to organizations, there is one
 * action per organization.
 */
const batchActions = (
  action: BatchAction,
  { id, organizationId, organizationIds, projectId }: BatchOwner,
): AuditedAction[] =>
  (organizationIds ?? [organizationId]).map((owner) => ({
    action,
    organizationId: owner,
    projectId,
    targetId: publicId('redelivery', id),
  }));

/**
 * Returns the SQL condition on the state of the deliveries.
 * @throws GatehouseError `validation_failed` for a filter that no index supports
 */
function baseCondition(filter: DeliveryFilter): string {
  const { state, deliveryIds } = filter;
  if (deliveryIds) return 'true';
  if (state === null || state === 'failed') return isDeadLetter;
  if (!filter.endpointId && !filter.eventId) {
    throw invalidField(
      'filter.delivery_state',
      'too_wide',
      `filter.delivery_state ${state} requires endpoint_id, event_id, delivery_id or delivery_ids`,
    );
  }
  // A literal instead of a parameter, because the partial index contains only this state.
  return state === 'succeeded' ? `d.state = 'succeeded'` : `d.state = 'cancelled'`;
}

/**
 * Returns the error for a filter that matches too many deliveries.
 * @param by the fields that can narrow it
 */
export const tooLargeError = (field: string, by: string): GatehouseError =>
  invalidField(
    field,
    'too_large',
    `${field} matches more than ${MAX_BATCH_SIZE} deliveries or requires scanning too many. Select fewer deliveries, for example with ${by}`,
  );
