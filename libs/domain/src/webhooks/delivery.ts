/** The delivery states. `pending` changes once, to one of the other three (contract, section 5). */
export const deliveryStates = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The reasons why a delivery was canceled: the customer was deleted, or the endpoint was disabled or deleted. */
export const deliveryCancelReasons = ['customer_deleted', 'endpoint_inactive'] as const;
export type DeliveryCancelReason = (typeof deliveryCancelReasons)[number];

/** The attempt priorities: first attempts, retries, bulk redeliveries. */
export const URGENCY = { first: 0, retry: 1, batch: 2 } as const;

/** Dead letter resolutions. `erased`: the event's customer was deleted. */
export const deliveryResolutions = ['redelivered', 'discarded', 'erased'] as const;
export type DeliveryResolution = (typeof deliveryResolutions)[number];

/** The reasons why an attempt failed, a closed list: the values of `error` in the delivery history. */
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

/** The outcome of one HTTP request to a receiver. A 500 from a receiver is an outcome, not an error in Gatehouse. */
export interface AttemptResult {
  /** 0 if no response was received. */
  httpStatus: number;
  success: boolean;
  error: AttemptError | null;
  /** Time from the start of the request to the status line or the failure. */
  durationMs: number;
  /** At most 16 KiB of text; "" if no response was received. */
  responseBody: string;
  /** The response's Retry-After header. It is only recorded, and does not affect the retry schedule. */
  retryAfter: string | null;
}

/** A finished attempt whose outcome must be recorded. */
export interface FinishedAttempt extends AttemptResult {
  deliveryId: string;
  /** Also the fencing token: only the worker that holds the claim can record the outcome. */
  attemptId: string;
  /** Delay until the next attempt in ms, or null after the last one. */
  nextDelayMs: number | null;
}
