import { promises as dns, type LookupAddress } from 'node:dns';
import { HostsFile } from './hosts-file.js';
import { NoAddressError } from './no-address.error.js';

/** What every system calls loopback, whatever a name server says (RFC 6761, section 6.3). */
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
/** How long the addresses of one family wait for those of the other, in ms. */
const OTHER_FAMILY_MS = 500;

const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * Turns names into addresses: by the hosts file, else by name servers, which c-ares asks without occupying one of
 * libuv's four threads. Every look-up has a resolver of its own, so that it waits for no other, can be cancelled,
 * has a source port of its own and finds nothing in a cache. Who asks for a name that is being looked up shares
 * the answer.
 */
export class NameResolver {
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();

  /**
   * @param servers name servers; empty for those of the system
   * @param patienceMs when a look-up is given up, in ms
   */
  constructor(
    private readonly servers: string[],
    private readonly patienceMs: number,
    private readonly hosts: HostsFile = new HostsFile(),
  ) {}

  /** @throws NoAddressError when there is none, or none was found in time */
  async resolve(hostname: string): Promise<LookupAddress[]> {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const written = this.hosts.addressesOf(name);
    if (written.length > 0) return written;
    if (isLocalhost(name)) return loopback;
    const query = this.underWay.get(name) ?? this.query(name).finally(() => this.underWay.delete(name));
    this.underWay.set(name, query);
    return query;
  }

  private async query(name: string): Promise<LookupAddress[]> {
    // Each further try waits twice as long, so the third would outlast patience, which cancels it.
    const resolver = new dns.Resolver({ timeout: Math.ceil(this.patienceMs / 6), tries: 3 });
    if (this.servers.length > 0) resolver.setServers(this.servers);
    const cancelIn = (ms: number): NodeJS.Timeout => setTimeout(() => resolver.cancel(), ms);
    const timers = [cancelIn(this.patienceMs)];
    const families = [resolver.resolve4(name), resolver.resolve6(name)] as const;
    // Some name servers never answer for the family that they have no address of.
    for (const family of families)
      family.then(
        () => timers.push(cancelIn(OTHER_FAMILY_MS)),
        () => undefined,
      );
    const [four, six] = await Promise.allSettled(families);
    timers.forEach(clearTimeout);
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length > 0) return addresses;
    throw new NoAddressError(name, four.status === 'rejected' ? four.reason : undefined);
  }
}
