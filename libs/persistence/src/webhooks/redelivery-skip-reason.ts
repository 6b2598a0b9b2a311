import type { DeliveryState, RedeliverySkipReason } from '@gatehouse/domain';
import { isErased } from '../events/erasure-sql.js';

/** Returns a reason as an SQL literal. */
export const skipReason = (reason: RedeliverySkipReason): string => `'${reason}'`;

/**
 * Returns the condition that event `e` has a delivery to endpoint `w` in one of the states. Checks the event's few
 * deliveries through its index. Until PostgreSQL has statistics about their number, it would prefer an index with the
 * state, and read all of the endpoint's deliveries for each event or, without the OFFSET, hash the whole table.
 */
const hasDelivery = (...states: DeliveryState[]): string => `EXISTS (
  SELECT FROM deliveries other WHERE other.event_id = e.id AND other.endpoint_id = w.id
    AND (other.state = ANY ('{${states.join()}}')) IS TRUE OFFSET 0)`;

/**
 * Returns SQL for the reason why event `e` is not delivered to endpoint `w` again. NULL if it is delivered again.
 * `d` is the delivery to redeliver; in a recovery, all its columns may be NULL. The reasons have the same order as
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

/** SQL for item `i`'s skip reason when it is processed, which may be long after it was planned. */
export const itemSkipReasonSql = `
  CASE
    WHEN e.id IS NULL OR i.delivery_id IS NOT NULL AND d.id IS NULL THEN ${skipReason('expired')}
    WHEN i.delivery_id IS NULL AND ${hasDelivery('failed', 'cancelled')} THEN ${skipReason('already_redelivered')}
    ELSE ${skipReasonSql('b.kind')}
  END`;
