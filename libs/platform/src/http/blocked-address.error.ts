/** Thrown if the URL of a request, or an address to which its host resolves, is not allowed as a target. */
export class BlockedAddressError extends Error {
  readonly code = 'ERR_BLOCKED_ADDRESS';

  constructor(address: string) {
    super(`connections to ${address} are not allowed`);
  }
}
