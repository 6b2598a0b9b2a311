import { errorCode } from '../runtime/errors.js';
import { createDnsResolver } from './create-dns-resolver.js';

/** The c-ares codes for a name that does not exist, or has no TXT record. */
const missing = ['ENOTFOUND', 'ENODATA'];

/** Looks up TXT records. Like NameResolver, it caches nothing and each lookup has its own resolver. */
export class TxtResolver {
  /**
   * @param servers the name servers; empty for the system's name servers
   * @param timeoutMs a lookup's time limit, in ms
   */
  constructor(
    private readonly servers: string[],
    private readonly timeoutMs: number,
  ) {}

  /**
   * Returns the strings in a name's TXT records, each with its parts joined; none if there are no records.
   * @throws Error if no name server has responded in time, or if it has reported an error: there may be records
   */
  async resolve(name: string): Promise<string[]> {
    const resolver = createDnsResolver(this.servers, this.timeoutMs);
    const timer = setTimeout(() => resolver.cancel(), this.timeoutMs);
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      if (missing.includes(errorCode(error))) return [];
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
