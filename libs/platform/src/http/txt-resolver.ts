import { errorCode } from '../runtime/errors.js';
import { createDnsResolver } from './create-dns-resolver.js';

/** The c-ares codes for a name that does not exist or has no TXT records. */
const missing = ['ENOTFOUND', 'ENODATA'];

/** Looks up TXT records. As in `NameResolver`, each lookup has its own resolver, and nothing is cached. */
export class TxtResolver {
  /**
   * @param servers the name servers; empty for the system's name servers
   * @param timeoutMs the lookup time limit, in ms
   */
  constructor(
    private readonly servers: string[],
    private readonly timeoutMs: number,
  ) {}

  /**
   * Returns the strings in a name's TXT records, with each record's parts joined.
   * @throws Error if no name server responds in time or one reports an error, so that it is unknown whether there are
   * records
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
