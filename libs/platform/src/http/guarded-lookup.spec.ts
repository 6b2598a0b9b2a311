import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { guardedLookup } from './guarded-lookup.js';

const lookup = (production: boolean, addresses: string[], all = true, allowedCidrs: string[] = []) =>
  new Promise<string | LookupAddress[]>((resolve, reject) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const resolver = { resolve: () => Promise.resolve(found) };
    guardedLookup({ production, allowedCidrs }, resolver)('a.example', { all }, (error, address) =>
      error ? reject(error) : resolve(address),
    );
  });

const blocked = expect.objectContaining({ code: 'ERR_BLOCKED_ADDRESS' });

describe('guardedLookup', () => {
  it.each(['127.0.0.1', '::1', '169.254.169.254', '10.0.0.1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])(
    'WH-02: rejects %s in production, alone or among public addresses',
    async (address) => {
      for (const all of [true, false]) {
        await expect(lookup(true, [address], all)).rejects.toEqual(blocked);
        await expect(lookup(true, ['8.8.8.8', address], all)).rejects.toEqual(blocked);
        await expect(lookup(true, [address, '8.8.8.8'], all)).rejects.toEqual(blocked);
      }
    },
  );

  it('OP-06: rejects metadata addresses regardless of the allowed ranges', async () => {
    for (const address of ['169.254.169.254', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254'])
      await expect(lookup(true, ['8.8.8.8', address], true, ['0.0.0.0/0', '::/0'])).rejects.toEqual(blocked);
  });

  it('WH-02: returns loopback outside production, public addresses, and an allowed range', async () => {
    await expect(lookup(false, ['127.0.0.1'], false)).resolves.toBe('127.0.0.1');
    await expect(lookup(true, ['10.1.2.3', '8.8.8.8'], true, ['10.1.0.0/16'])).resolves.toEqual([
      { address: '10.1.2.3', family: 4 },
      { address: '8.8.8.8', family: 4 },
    ]);
  });
});
