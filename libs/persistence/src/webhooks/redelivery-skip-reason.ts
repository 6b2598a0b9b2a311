import type { DeliveryState, RedeliverySkipReason } from '@gatehouse/domain';
import { isErased } from '../events/erasure-sql.js';

/** Returns a reason's SQL literal. */
export const skipReason = (reason: RedeliverySkipReason): string => `'${reason}'`;

/**
 * Returns SQL that checks the event's few deliveries with its index. Before PostgreSQL knows how many there are, it
 * would prefer an index that contains the state and read all of the endpoint's deliveries for each event or, without the
 * OFFSET, the complete table into a hash.
 */
const hasDelivery = (...states: DeliveryState[]): string => `EXISTS (
  SELECT FROM deliveries other WHERE other.event_id = e.id AND other.endpoint_id = w.id
    AND (other.state = ANY ('{${states.join()}}')) IS TRUE OFFSET 0)`;

/**
 * Returns SQL for the reason why an event `e` is not delivered to an endpoint `w` again, NULL if it is. `d` is the
 * delivery that would be redelivered; in a recovery all its columns may be NULL. The reasons have the same order as
 * for a single redelivery.
 * @param kind SQL for the batch kind
 */
export const skipReasonSql = (kind: string): string => `
  CASE
    WHEN d.state = 'pending' THEN ${skipReason('delivery_pending')}
    WHEN ${isErased('e')} THEN ${skipReason('payload_erased')}
    WHEN d.redelivered_as IS NOT NULL THEN ${skipReason('already_redelivered')}
    WHEN ${kind} = 'redelivery' AND d.resolution = 'discarded' THEN ${skipReason('discarded')}
    WHEN w.status = 'deleted' THEN ${skipReason('endpoint_deleted')}
    WHEN w.status = 'disabled' THEN ${skipReason('endpoint_disabled')}
    WHEN ${kind} = 'recovery' AND ${hasDelivery('succeeded')} THEN ${skipReason('already_delivered')}
    WHEN ${hasDelivery('pending')} THEN ${skipReason('delivery_pending')}
  END`;

/** SQL for the skip reason of an item `i` when it is processed, which may be long after it was planned. */
export const itemSkipReasonSql = `
  CASE
    WHEN e.id IS NULL OR i.delivery_id IS NOT NULL AND d.id IS NULL THEN ${skipReason('expired')}
    WHEN i.delivery_id IS NULL AND ${hasDelivery('failed', 'cancelled')} THEN ${skipReason('already_redelivered')}
    ELSE ${skipReasonSql('b.kind')}
  END`;
