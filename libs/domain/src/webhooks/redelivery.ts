/** The kinds of bulk redeliveries: deliveries that match a filter, or events that an endpoint has missed. */
export const redeliveryKinds = ['redelivery', 'recovery'] as const;
export type RedeliveryKind = (typeof redeliveryKinds)[number];

/**
 * Bulk redelivery states. `planned` becomes `running`, `cancelled` or, after a day, `expired`. `running` becomes
 * `completed` or `cancelled`.
 */
export const redeliveryStates = ['planned', 'running', 'completed', 'cancelled', 'expired'] as const;
export type RedeliveryState = (typeof redeliveryStates)[number];

/** The reasons why a bulk redelivery skips a delivery, either when it is planned or when the delivery is released. */
export const redeliverySkipReasons = [
  'delivery_pending',
  'already_delivered',
  'payload_erased',
  'already_redelivered',
  'endpoint_deleted',
  'endpoint_disabled',
  'discarded',
  'expired',
] as const;
export type RedeliverySkipReason = (typeof redeliverySkipReasons)[number];

/** The number of skipped deliveries, by reason. */
export type SkipCounts = Partial<Record<RedeliverySkipReason, number>>;

/** Maximum number of deliveries in one bulk redelivery. */
export const MAX_BATCH_SIZE = 100_000;

/** How long a plan can be started, in hours. */
export const PLAN_TTL_HOURS = 24;
