import type { LookupAddress } from 'node:dns';
import { createDnsResolver } from './create-dns-resolver.js';
import { HostsFile } from '../runtime/hosts-file.js';
import { NoAddressError } from './no-address.error.js';

/** The addresses of localhost, regardless of any name server (RFC 6761, section 6.3). */
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
/** Time in ms to wait for the other address family (IPv4 or IPv6) once one family has arrived. */
const OTHER_FAMILY_TIMEOUT_MS = 500;

const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * Resolves host names with the hosts file, then with name servers. The queries use c-ares, which does not occupy one of
 * libuv's four threads. Each lookup has its own resolver, so it does not wait for other lookups, can be canceled, and
 * has its own source port. Nothing is cached, but concurrent lookups of the same host share one query.
 */
export class NameResolver {
  private readonly running = new Map<string, Promise<LookupAddress[]>>();

  /**
   * @param servers the name servers; empty for the system's name servers
   * @param timeoutMs the lookup time limit, in ms
   */
  constructor(
    private readonly servers: string[],
    private readonly timeoutMs: number,
    private readonly hosts: HostsFile = new HostsFile(),
  ) {}

  /** @throws NoAddressError if no address was found in time */
  async resolve(hostname: string): Promise<LookupAddress[]> {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const listed = this.hosts.findAddresses(name);
    if (listed.length > 0) return listed;
    if (isLocalhost(name)) return loopback;
    const query = this.running.get(name) ?? this.query(name).finally(() => this.running.delete(name));
    this.running.set(name, query);
    return query;
  }

  private async query(name: string): Promise<LookupAddress[]> {
    const resolver = createDnsResolver(this.servers, this.timeoutMs);
    const cancelIn = (ms: number): NodeJS.Timeout => setTimeout(() => resolver.cancel(), ms);
    const timers = [cancelIn(this.timeoutMs)];
    const families = [resolver.resolve4(name), resolver.resolve6(name)] as const;
    // Some name servers never respond for a family without addresses.
    for (const family of families)
      family.then(
        () => timers.push(cancelIn(OTHER_FAMILY_TIMEOUT_MS)),
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
