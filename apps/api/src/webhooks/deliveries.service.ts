import { Injectable } from '@nestjs/common';
import { callerName, type ManagementCaller } from '@gatehouse/auth';
import { GatehouseError, notFound, parsePublicId, publicId, type AuditAction } from '@gatehouse/domain';
import {
  AttemptsRepository,
  DeliveriesRepository,
  Transactions,
  type AttemptRecord,
  type Delivery,
} from '@gatehouse/persistence';
import { CursorCodec, newId } from '@gatehouse/platform';
import { AuditService, type AuditedAction } from '../audit/audit.service.js';
import { readScannedPage, type Page } from '../http/lists/paging.js';
import { attemptFilter } from './delivery-filter.js';
import type { ListDeliveriesQuery, RedeliverRequest } from './dto/delivery.request.js';
import { assertMayEnable, EndpointEnablerService } from './endpoint-enabler.service.js';

export interface DeliveryWithAttempts {
  delivery: Delivery;
  attempts: AttemptRecord[];
}

@Injectable()
export class DeliveriesService {
  constructor(
    private readonly attempts: AttemptsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly enabler: EndpointEnablerService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly cursors: CursorCodec,
  ) {}

  /** Returns finished attempts, newest first. @throws GatehouseError `invalid_cursor` */
  list({ accessScope }: ManagementCaller, query: ListDeliveriesQuery): Promise<Page<AttemptRecord>> {
    const filter = attemptFilter(query);
    return readScannedPage(this.cursors, ['deliveries', accessScope, filter], query, (before, limit) =>
      this.attempts.listPage(accessScope, filter, before, limit),
    );
  }

  /**
   * Returns a delivery by its id or by an attempt's id.
   * @throws GatehouseError `not_found`
   */
  async get({ accessScope }: ManagementCaller, id: string): Promise<DeliveryWithAttempts> {
    const delivery = await this.deliveries.find(accessScope, parseDeliveryReference(id));
    if (!delivery) throw notFound();
    return { delivery, attempts: await this.attempts.listForDelivery(delivery) };
  }

  /**
   * Creates a new delivery of the same event to the endpoint's current URL. Only one of several concurrent calls succeeds.
   * @throws GatehouseError `not_found`, `delivery_pending`, `payload_erased`, `already_redelivered`,
   * `endpoint_disabled` unless `enable_endpoint` is true, `endpoint_deleted`, `insufficient_scope` if the key may not
   * enable endpoints
   */
  async redeliver(
    caller: ManagementCaller,
    id: string,
    { reason = null, enable_endpoint: enablesEndpoint = false }: RedeliverRequest,
  ): Promise<DeliveryWithAttempts> {
    if (enablesEndpoint) assertMayEnable(caller);
    const { delivery } = await this.get(caller, id);
    const redeliveryId = newId();
    const action = deliveryAction('webhook_delivery.redelivered', delivery);
    await this.transactions.join(async (tx) => {
      const previous = await this.deliveries.lock(tx, caller.accessScope, delivery.id);
      if (!previous) throw notFound();
      const rejection = findRedeliveryError(previous, enablesEndpoint);
      if (rejection) throw this.audit.noteRejection(action, rejection);
      if (enablesEndpoint) await this.enabler.enable(tx, caller.accessScope, previous.endpointId);
      const by = callerName(caller);
      const isCreated = await this.deliveries.redeliver(tx, previous, { newId: redeliveryId, reason, by });
      if (!isCreated) throw this.audit.noteRejection(action, new GatehouseError('delivery_pending'));
      const redeliveredAs = publicId('delivery', redeliveryId);
      const details = { outcome: 'redelivered', redeliveredAs, ...(reason !== null && { reason }) };
      this.audit.record(tx, { ...action, details });
    });
    return this.get(caller, publicId('delivery', redeliveryId));
  }

  /**
   * Discards a dead letter: removes it from the list and allows retention to delete it. It can still be redelivered.
   * Only one of several concurrent calls succeeds.
   * @throws GatehouseError `not_found`, `delivery_pending`, `already_redelivered`, `conflict`
   */
  async discard(caller: ManagementCaller, id: string, reason: string): Promise<DeliveryWithAttempts> {
    const { delivery } = await this.get(caller, id);
    const action = deliveryAction('webhook_delivery.discarded', delivery);
    await this.transactions.join(async (tx) => {
      const locked = await this.deliveries.lock(tx, caller.accessScope, delivery.id);
      if (!locked) throw notFound();
      const rejection = findDiscardError(locked);
      if (rejection) throw this.audit.noteRejection(action, rejection);
      await this.deliveries.discard(tx, locked, reason, callerName(caller));
      this.audit.record(tx, { ...action, details: { outcome: 'discarded', reason } });
    });
    return this.get(caller, publicId('delivery', delivery.id));
  }
}

/** Returns the error if a delivery is not a dead letter, otherwise null. */
function findDiscardError(delivery: Delivery): GatehouseError | null {
  if (delivery.state === 'pending') return new GatehouseError('delivery_pending');
  if (delivery.redeliveredAs) return alreadyRedeliveredError(delivery.redeliveredAs);
  if (delivery.state === 'failed' && !delivery.resolution) return null;
  return new GatehouseError('conflict', {
    detail: `Only a dead letter can be discarded. ${describeResolved(delivery)}`,
  });
}

function describeResolved({ state, resolution }: Delivery): string {
  if (resolution === 'erased') return 'The customer of this delivery has been deleted.';
  return resolution ? 'This delivery has already been discarded.' : `The state of this delivery is ${state}.`;
}

const alreadyRedeliveredError = (redeliveredAs: string): GatehouseError =>
  new GatehouseError('already_redelivered', {
    members: { redeliveredAs: publicId('delivery', redeliveredAs) },
  });

/** Returns an action on a delivery for the audit log. */
export const deliveryAction = (
  action: Extract<AuditAction, `webhook_delivery.${string}`>,
  { id, organizationId, projectId }: Delivery,
): AuditedAction => ({ action, organizationId, projectId, targetId: publicId('delivery', id) });

/** Returns the error if a delivery cannot be redelivered, otherwise null. */
function findRedeliveryError(delivery: Delivery, enablesEndpoint: boolean): GatehouseError | null {
  if (delivery.state === 'pending') return new GatehouseError('delivery_pending');
  if (delivery.isErased) return new GatehouseError('payload_erased');
  if (delivery.redeliveredAs) return alreadyRedeliveredError(delivery.redeliveredAs);
  if (delivery.endpointStatus === 'deleted') return new GatehouseError('endpoint_deleted');
  if (delivery.endpointStatus === 'disabled' && !enablesEndpoint) {
    const detail = 'The endpoint is disabled. Enable it first, or send "enable_endpoint": true.';
    return new GatehouseError('endpoint_disabled', { detail });
  }
  return null;
}

function parseDeliveryReference(id: string): { deliveryId: string } | { attemptId: string } {
  const deliveryId = parsePublicId('delivery', id);
  if (deliveryId) return { deliveryId };
  const attemptId = parsePublicId('attempt', id);
  if (attemptId) return { attemptId };
  throw notFound();
}
