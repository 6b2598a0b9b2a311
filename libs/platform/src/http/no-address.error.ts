/** Thrown when no address was found for a host in time. `cause` is the resolver's error, if there is one. */
export class NoAddressError extends Error {
  readonly code = 'ERR_NO_ADDRESS';

  constructor(name: string, cause?: unknown) {
    super(`no address was found for ${name}`, { cause });
  }
}
