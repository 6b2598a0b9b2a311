import { promises as dns } from 'node:dns';
import { errorCode } from '../errors.js';

/** Codes of c-ares for a name that does not exist, or has no TXT record. */
const missing = ['ENOTFOUND', 'ENODATA'];

/** Looks up TXT records. Like NameResolver, it caches nothing and each look-up has its own resolver. */
export class TxtResolver {
  /**
   * @param servers the name servers; empty for those of the system
   * @param timeoutMs the time limit of a look-up, in ms
   */
  constructor(
    private readonly servers: string[],
    private readonly timeoutMs: number,
  ) {}

  /**
   * Returns the texts of the TXT records of a name, each with its parts joined; none if there are no records.
   * @throws Error if no name server has responded in time, or if it has reported an error: there may be records
   */
  async resolve(name: string): Promise<string[]> {
    // Each attempt waits twice as long as the previous one, so the time limit cancels the third one.
    const resolver = new dns.Resolver({ timeout: Math.ceil(this.timeoutMs / 6), tries: 3 });
    if (this.servers.length > 0) resolver.setServers(this.servers);
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
