import type { Schemas } from '../http/client';

export type Batch = Schemas['RedeliveryResponse'];
/** The same as it is read: with the names of those who made, started and cancelled it. */
export type NamedBatch = Schemas['NamedRedeliveryResponse'];
type Refusal = Schemas['RefusalCountResponse'];

/** The most deliveries that a plan can name one by one. */
export const MOST_NAMED = 200;

const reasons: Record<Refusal['reason'], string> = {
  delivery_pending: 'The event is still under way to this endpoint',
  already_delivered: 'Another delivery of the event succeeded here',
  payload_erased: 'The customer it was about has been deleted, so there is nothing left to send',
  already_redelivered: 'Redelivered already',
  endpoint_deleted: 'The endpoint is deleted',
  endpoint_disabled: 'The endpoint is disabled: enable it first',
  discarded: 'Discarded',
  expired: 'Too old: removed by retention',
};

/** Why a delivery is left out; what later versions add is told by its name. */
export const refusalInWords = (reason: string): string =>
  (reasons as Record<string, string>)[reason] ?? reason.replaceAll('_', ' ');
