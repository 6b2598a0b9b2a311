import { promises as dns } from 'node:dns';

/**
 * Creates a resolver for one lookup, which the caller must cancel at its time limit.
 * @param servers the name servers; empty for the system's name servers
 * @param timeoutMs the lookup time limit, in ms
 */
export function createDnsResolver(servers: string[], timeoutMs: number): dns.Resolver {
  // Each attempt waits twice as long as the previous one, so the time limit ends during the third one.
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 6), tries: 3 });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}
