import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { isAllowedAddress, type TargetPolicy } from '#domain';
import { BlockedAddressError } from './blocked-address.error.js';

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;
export type Lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void;

/** How long a configured name server may be silent, in ms; tried twice. */
const DNS_TIMEOUT_MS = 2_000;

/**
 * Name resolution for targets: all addresses of a name must be allowed, or none is used, so that a name which
 * mixes public and private addresses reaches neither (requirement WH-02).
 * @param servers name servers to ask; empty for the system's resolver, which also knows /etc/hosts
 */
export function guardedLookup(policy: TargetPolicy, servers: string[]): Lookup {
  const resolve = servers.length > 0 ? resolverLookup(servers) : systemLookup;
  return (hostname, options, callback) => {
    resolve(hostname).then(
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

const systemLookup = (hostname: string): Promise<LookupAddress[]> =>
  dns.promises.lookup(hostname, { all: true });

function resolverLookup(servers: string[]): (hostname: string) => Promise<LookupAddress[]> {
  const resolver = new dns.promises.Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  resolver.setServers(servers);
  return async (hostname) => {
    // c-ares does not know the name that every system has.
    if (hostname === 'localhost') return systemLookup(hostname);
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length === 0) throw four.status === 'rejected' ? four.reason : new Error('no address');
    return addresses;
  };
}
