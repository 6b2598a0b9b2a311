/** The target, or what its name resolves to, is not an address that webhooks may reach. */
export class BlockedAddressError extends Error {
  readonly code = 'ERR_BLOCKED_ADDRESS';

  constructor(address: string) {
    super(`webhooks must not connect to ${address}`);
  }
}
