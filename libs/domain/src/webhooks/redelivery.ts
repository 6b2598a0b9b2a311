/** What a batch brings again: deliveries that a filter found, or the events that an endpoint has missed. */
export const redeliveryKinds = ['redelivery', 'recovery'] as const;
export type RedeliveryKind = (typeof redeliveryKinds)[number];

/** `planned` becomes `running`, `cancelled` or, a day later, `expired`; `running` `completed` or `cancelled`. */
export const redeliveryStates = ['planned', 'running', 'completed', 'cancelled', 'expired'] as const;
export type RedeliveryState = (typeof redeliveryStates)[number];

/** Why a batch leaves something out, when it is planned or when its turn comes. */
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

/** How many are left out, by reason. */
export type SkipCounts = Partial<Record<RedeliverySkipReason, number>>;

/** The most deliveries of one batch. */
export const MAX_BATCH_SIZE = 100_000;

/** How long a plan waits to be started. */
export const PLAN_TTL_HOURS = 24;
