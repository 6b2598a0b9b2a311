import type { DeliveryState, RedeliveryRefusal } from '@gatehouse/domain';
import { isErased } from '../customers/erased.js';

const because = (refusal: RedeliveryRefusal): string => `'${refusal}'`;

/**
 * Looks at the few deliveries of the event, by its index. PostgreSQL would rather take one of those that know the
 * state, when it does not know yet how many there are, and read all of an endpoint for each event; or, but for the
 * OFFSET, all of the table into a hash.
 */
const hasDelivery = (...states: DeliveryState[]): string => `EXISTS (
  SELECT FROM deliveries o WHERE o.event_id = e.id AND o.endpoint_id = w.id
    AND (o.state = ANY ('{${states.join()}}')) IS TRUE OFFSET 0)`;

/**
 * SQL for why an event `e` is not delivered to an endpoint `w` again, NULL when it is. `d` is the delivery that would
 * be brought again; in a recovery all its columns may be NULL. The order is that in which one redelivery is refused.
 * @param kind SQL for the kind of the batch
 */
export const redeliveryRefusal = (kind: string): string => `
  CASE
    WHEN d.state = 'pending' THEN ${because('delivery_pending')}
    WHEN ${isErased('e')} THEN ${because('payload_erased')}
    WHEN d.redelivered_as IS NOT NULL THEN ${because('already_redelivered')}
    WHEN w.status = 'deleted' THEN ${because('endpoint_deleted')}
    WHEN w.status = 'disabled' THEN ${because('endpoint_disabled')}
    WHEN ${kind} = 'redelivery' AND d.resolution = 'discarded' THEN ${because('discarded')}
    WHEN ${kind} = 'recovery' AND ${hasDelivery('succeeded')} THEN ${because('already_delivered')}
    WHEN ${hasDelivery('pending')} THEN ${because('delivery_pending')}
  END`;

/** The same when the turn of an item `i` has come, which may be long after it was planned. */
export const itemRefusal = `
  CASE
    WHEN e.id IS NULL OR i.delivery_id IS NOT NULL AND d.id IS NULL THEN ${because('expired')}
    WHEN i.delivery_id IS NULL AND ${hasDelivery('failed', 'cancelled')} THEN ${because('already_redelivered')}
    ELSE ${redeliveryRefusal('b.kind')}
  END`;
