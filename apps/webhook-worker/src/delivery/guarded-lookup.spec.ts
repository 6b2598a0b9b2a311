import type { LookupAddress } from 'node:dns';
import { guardedLookup } from './guarded-lookup.js';

/** Literals need no name server: the system's resolver hands them back. */
const lookup = (production: boolean, hostname: string, all: boolean, allowedCidrs: string[] = []) =>
  new Promise<{ address: string | LookupAddress[]; family: number | undefined }>((resolve, reject) => {
    guardedLookup({ production, allowedCidrs }, [])(hostname, { all }, (error, address, family) =>
      error ? reject(error) : resolve({ address, family }),
    );
  });

const blocked = expect.objectContaining({ code: 'ERR_BLOCKED_ADDRESS' });

describe('guardedLookup', () => {
  it.each(['127.0.0.1', '::1', '169.254.169.254', '10.0.0.1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])(
    'WH-02: hands out no %s in production',
    async (address) => {
      await expect(lookup(true, address, true)).rejects.toEqual(blocked);
      await expect(lookup(true, address, false)).rejects.toEqual(blocked);
    },
  );

  it('WH-02: hands out loopback elsewhere, and an opened range', async () => {
    await expect(lookup(false, '127.0.0.1', false)).resolves.toEqual({ address: '127.0.0.1', family: 4 });
    await expect(lookup(true, '10.1.2.3', true, ['10.1.0.0/16'])).resolves.toEqual({
      address: [{ address: '10.1.2.3', family: 4 }],
      family: undefined,
    });
  });
});
