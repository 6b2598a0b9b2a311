import { promises as dns } from 'node:dns';

/**
 * Creates the resolver for one lookup, which the caller cancels at its time limit.
 * @param servers the name servers; empty for the system's name servers
 * @param timeoutMs the lookup's time limit, in ms
 */
export function createDnsResolver(servers: string[], timeoutMs: number): dns.Resolver {
  // Each attempt waits twice as long as the previous one, so the time limit cancels the third one.
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 6), tries: 3 });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}
