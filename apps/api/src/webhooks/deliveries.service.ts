import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '#auth';
import { GatehouseError, notFound, parsePublicId, publicId, type DeliveryState } from '#domain';
import {
  AttemptsRepository,
  DeliveriesRepository,
  Transactions,
  type AttemptFilter,
  type AttemptRecord,
  type Delivery,
} from '#persistence';
import { CursorCodec, newId } from '#platform';
import { Audit, type AuditedAction } from '../audit/audit.service.js';
import { readPage, type Page } from '../http/paging.js';
import type { ListDeliveriesQuery } from './dto/delivery.request.js';

export interface DeliveryWithAttempts {
  delivery: Delivery;
  attempts: AttemptRecord[];
}

@Injectable()
export class DeliveriesService {
  constructor(
    private readonly attempts: AttemptsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly audit: Audit,
    private readonly transactions: Transactions,
    private readonly cursors: CursorCodec,
  ) {}

  /** Closed attempts, newest first. @throws GatehouseError `invalid_cursor` */
  list({ reach }: SecretKeyCaller, query: ListDeliveriesQuery): Promise<Page<AttemptRecord>> {
    const filter = attemptFilter(query);
    return readPage(this.cursors, ['deliveries', reach, filter], query, (before, limit) =>
      this.attempts.list(reach, { ...filter, before }, limit),
    );
  }

  /**
   * A delivery by its own id or by that of one of its attempts.
   * @throws GatehouseError `not_found`
   */
  async get({ reach }: SecretKeyCaller, id: string): Promise<DeliveryWithAttempts> {
    const delivery = await this.deliveries.find(reach, deliveryKey(id));
    if (!delivery) throw notFound();
    return { delivery, attempts: await this.attempts.ofDelivery(reach, delivery.id) };
  }

  /**
   * Makes a new delivery of the same event to the endpoint's current URL. Of any number of parallel calls one
   * succeeds.
   * @throws GatehouseError `not_found`, `delivery_pending`, `payload_erased`, `already_redelivered`,
   *   `endpoint_disabled`, `endpoint_deleted`
   */
  async redeliver(caller: SecretKeyCaller, id: string, reason: string | null): Promise<DeliveryWithAttempts> {
    const { delivery } = await this.get(caller, id);
    const redeliveryId = newId();
    const redelivered = redeliverAction(delivery);
    await this.transactions.run(async (tx) => {
      const old = await this.deliveries.lock(tx, caller.reach, delivery.id);
      if (!old) throw notFound();
      const refusal = refusalOf(old);
      if (refusal) throw this.audit.refuse(redelivered, refusal);
      const by = `key:${caller.keyId}`;
      const isMade = await this.deliveries.redeliver(tx, old, { newId: redeliveryId, reason, by });
      if (!isMade) throw this.audit.refuse(redelivered, new GatehouseError('delivery_pending'));
      const details = { outcome: 'redelivered', redeliveredAs: publicId('delivery', redeliveryId) };
      await this.audit.record(tx, { ...redelivered, details });
    });
    return this.get(caller, publicId('delivery', redeliveryId));
  }
}

const redeliverAction = ({ id, organizationId, projectId }: Delivery): AuditedAction => ({
  action: 'webhook_delivery.redelivered',
  organizationId,
  projectId,
  targetId: publicId('delivery', id),
});

/** Why a delivery cannot be redelivered, or null. */
function refusalOf(delivery: Delivery): GatehouseError | null {
  if (delivery.state === 'pending') return new GatehouseError('delivery_pending');
  if (delivery.isErased) return new GatehouseError('payload_erased');
  if (delivery.redeliveredAs) {
    const redeliveredAs = publicId('delivery', delivery.redeliveredAs);
    return new GatehouseError('already_redelivered', { members: { redeliveredAs } });
  }
  if (delivery.endpointStatus === 'deleted') return new GatehouseError('endpoint_deleted');
  if (delivery.endpointStatus === 'disabled') return new GatehouseError('endpoint_disabled');
  return null;
}

function deliveryKey(id: string): { deliveryId: string } | { attemptId: string } {
  const deliveryId = parsePublicId('delivery', id);
  if (deliveryId) return { deliveryId };
  const attemptId = parsePublicId('attempt', id);
  if (attemptId) return { attemptId };
  throw notFound();
}

function attemptFilter(query: ListDeliveriesQuery): Omit<AttemptFilter, 'before'> {
  return {
    projectId: query.project_id ?? null,
    endpointId: query.endpoint_id ? parsePublicId('endpoint', query.endpoint_id) : null,
    eventId: query.event_id ? parsePublicId('event', query.event_id) : null,
    deliveryId: query.delivery_id ? parsePublicId('delivery', query.delivery_id) : null,
    eventType: query.event ?? null,
    deliveryState: (query.delivery_state as DeliveryState | undefined) ?? null,
    success: query.success === undefined ? null : query.success === 'true',
    httpStatus: query.http_status ?? null,
    httpStatusRange: statusRange(query.status_class),
    createdAfter: query.created_after ? new Date(query.created_after) : null,
    createdBefore: query.created_before ? new Date(query.created_before) : null,
  };
}

function statusRange(statusClass: string | undefined): [number, number] | null {
  if (statusClass === undefined) return null;
  if (statusClass === 'none') return [0, 0];
  const first = Number(statusClass[0]) * 100;
  return [first, first + 99];
}
