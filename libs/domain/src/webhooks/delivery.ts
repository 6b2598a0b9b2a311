/** `pending` becomes one of the other three, once (contract, section 5). */
export const deliveryStates = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The reasons why a delivery was canceled: its customer was deleted, or its endpoint was disabled or deleted. */
export const deliveryCancelReasons = ['customer_deleted', 'endpoint_inactive'] as const;
export type DeliveryCancelReason = (typeof deliveryCancelReasons)[number];

/** The attempt priorities: first attempts, retries, bulk redeliveries. */
export const URGENCY = { first: 0, retry: 1, batch: 2 } as const;

/** The resolutions for a dead letter. `erased`: its event's customer was deleted. */
export const deliveryResolutions = ['redelivered', 'discarded', 'erased'] as const;
export type DeliveryResolution = (typeof deliveryResolutions)[number];

/** The reasons why an attempt failed: the closed list for `error` in the delivery history. */
export const attemptErrors = [
  'http_error',
  'timeout',
  'connection_error',
  'tls_error',
  'dns_error',
  'blocked_address',
  'protocol_error',
  'worker_lost',
] as const;
export type AttemptError = (typeof attemptErrors)[number];

/** The outcome of one HTTP request to a target. A 500 from a target is an outcome and not an error in Gatehouse. */
export interface AttemptResult {
  /** 0 if no response was received. */
  httpStatus: number;
  success: boolean;
  error: AttemptError | null;
  /** Time from the start to the status line, or to the failure. */
  durationMs: number;
  /** At most 16 KiB of text; "" if no response was received. */
  responseBody: string;
  /** The response's Retry-After. It is only recorded and does not affect the schedule. */
  retryAfter: string | null;
}

/** An attempt whose outcome is to be recorded. */
export interface FinishedAttempt extends AttemptResult {
  deliveryId: string;
  /** Also the fencing token: only the claim holder can record the outcome. */
  attemptId: string;
  /** Delay until the next attempt in ms, or null after the last one. */
  nextDelayMs: number | null;
}
