/** The look-up of the target's name found no address in time; `cause` is what c-ares said, if anything. */
export class NoAddressError extends Error {
  readonly code = 'ERR_NO_ADDRESS';

  constructor(name: string, cause?: unknown) {
    super(`no address was found for ${name}`, { cause });
  }
}
