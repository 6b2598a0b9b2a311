import type { Schemas } from '../http/client';

export type Batch = Schemas['RedeliveryResponse'];
/** A batch with the names of the actors who created, started and canceled it. */
export type NamedBatch = Schemas['NamedRedeliveryResponse'];
type Rejection = Schemas['RefusalCountResponse'];

/** Maximum number of delivery IDs in a plan. */
export const MAX_DELIVERY_IDS = 200;

const rejectionLabels: Record<Rejection['reason'], string> = {
  delivery_pending: 'A delivery of this event to this endpoint is still pending',
  already_delivered: 'Another delivery of this event to this endpoint succeeded',
  payload_erased: 'The customer was deleted, so the event has no data to send',
  already_redelivered: 'Already redelivered',
  endpoint_deleted: 'The endpoint was deleted',
  endpoint_disabled: 'The endpoint is disabled',
  discarded: 'Discarded',
  expired: 'Deleted by retention',
};

/** Returns the label for an exclusion reason. A reason that only a newer server returns is shown by name. */
export const rejectionLabel = (reason: string): string =>
  (rejectionLabels as Record<string, string>)[reason] ?? reason.replaceAll('_', ' ');
