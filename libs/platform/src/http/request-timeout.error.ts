/** Thrown if the time limit of a request expires before its response is complete. */
export class RequestTimeoutError extends Error {
  readonly code = 'ERR_REQUEST_TIMEOUT';

  constructor(timeoutMs: number) {
    super(`no complete response within ${timeoutMs} ms`);
  }
}
