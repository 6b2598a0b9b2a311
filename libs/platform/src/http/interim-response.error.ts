/** Thrown when a server sends too many interim responses (1xx), or a 101 that no request requires. */
export class InterimResponseError extends Error {
  readonly code = 'ERR_INTERIM_RESPONSE';

  constructor() {
    super('interim responses without a final response');
  }
}
