/** Thrown when a server sends too many interim responses (1xx) or an unrequested protocol switch. */
export class InterimResponseError extends Error {
  readonly code = 'ERR_INTERIM_RESPONSE';

  constructor() {
    super('interim responses without a final response');
  }
}
