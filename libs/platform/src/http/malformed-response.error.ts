/** Thrown when a server sends something that is not an HTTP/1 response. */
export class MalformedResponseError extends Error {
  readonly code = 'ERR_MALFORMED_RESPONSE';

  constructor() {
    super('not an HTTP/1 response');
  }
}
