/** Thrown if a request's time limit expires before its response is complete. */
export class RequestTimeoutError extends Error {
  readonly code = 'ERR_REQUEST_TIMEOUT';

  constructor(timeoutMs: number) {
    super(`no complete response within ${timeoutMs} ms`);
  }
}
