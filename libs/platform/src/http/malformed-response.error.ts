/** Thrown if a server sends data that is not an HTTP/1 response. */
export class MalformedResponseError extends Error {
  readonly code = 'ERR_MALFORMED_RESPONSE';

  constructor() {
    super('not an HTTP/1 response');
  }
}
