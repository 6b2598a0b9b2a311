/** Thrown if a request's URL, or an address to which its host resolves, is not allowed as a target. */
export class BlockedAddressError extends Error {
  readonly code = 'ERR_BLOCKED_ADDRESS';

  constructor(address: string) {
    super(`connections to ${address} are not allowed`);
  }
}
