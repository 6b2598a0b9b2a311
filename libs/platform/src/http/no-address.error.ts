/** Thrown if no address of a host was found in time. `cause` is the resolver error, if there is one. */
export class NoAddressError extends Error {
  readonly code = 'ERR_NO_ADDRESS';

  constructor(name: string, cause?: unknown) {
    super(`no address was found for ${name}`, { cause });
  }
}
