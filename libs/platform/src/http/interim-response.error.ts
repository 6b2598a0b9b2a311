/** Thrown when a server sends too many interim responses (1xx), or switches the protocol without being asked to. */
export class InterimResponseError extends Error {
  readonly code = 'ERR_INTERIM_RESPONSE';

  constructor() {
    super('interim responses without a final response');
  }
}
