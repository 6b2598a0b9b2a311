/** Thrown if a server sends too many interim responses (1xx), or a 101, which Gatehouse never requests. */
export class InterimResponseError extends Error {
  readonly code = 'ERR_INTERIM_RESPONSE';

  constructor() {
    super('interim responses without a final response');
  }
}
