/** `pending` becomes one of the other three, once (contract, section 5). */
export const deliveryStates = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** In which line an attempt stands: first attempts, retries, deliveries of batches. */
export const URGENCY = { first: 0, retry: 1, batch: 2 } as const;

/** What has been done about a dead letter. */
export type DeliveryResolution = 'redelivered' | 'discarded';

/** Why an attempt failed: the closed list of endpoint 13's `error`. */
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

/** How one HTTP request to a target ended. A target's 500 is a result, not an error of ours. */
export interface AttemptResult {
  /** 0 when nothing answered. */
  httpStatus: number;
  success: boolean;
  error: AttemptError | null;
  /** From the start to the status line, or to the failure. */
  durationMs: number;
  /** At most 16 KiB of text; "" when nothing answered. */
  responseBody: string;
  /** What the target's Retry-After said; recorded only, it does not move the schedule. */
  retryAfter: string | null;
}

/** An attempt whose result is being written. */
export interface FinishedAttempt extends AttemptResult {
  deliveryId: string;
  /** Also the fencing token: only the holder of the claim can close it. */
  attemptId: string;
  /** Delay until the next attempt in ms, or null when this was the last. */
  nextDelayMs: number | null;
}
