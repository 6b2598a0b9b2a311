import type { LookupAddress, LookupOptions } from 'node:dns';
import { isAllowedAddress, type TargetPolicy } from '@gatehouse/domain';
import { BlockedAddressError } from './blocked-address.error.js';
import type { NameResolver } from './name-resolver.js';

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;
export type Lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void;

/**
 * Creates the lookup for connections to targets. It fails if any address of the host is not allowed, so that no request
 * is sent to a host with both public and private addresses (requirement WH-02).
 */
export function guardedLookup(policy: TargetPolicy, resolver: Pick<NameResolver, 'resolve'>): Lookup {
  return (hostname, options, callback) => {
    resolver.resolve(hostname).then(
      (addresses) => {
        const blocked = addresses.find(({ address }) => !isAllowedAddress(address, policy));
        if (blocked) callback(new BlockedAddressError(blocked.address), []);
        else if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}
