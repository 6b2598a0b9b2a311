// Raw SQL: checking whether a server accepts writes, and when it started.
import pg from 'pg';
import { splitHosts, VERSION } from '@gatehouse/platform';
import { runStatement } from '../database/run-statement.js';
import { boolean, statement, text } from '../sql/statements.js';

/** Timeout in ms for connecting to a host, and for its response. All hosts are probed at the same time. */
const PROBE_TIMEOUT_MS = 2_000;

const readServer = statement(
  { acceptsWrites: boolean, startedAt: text },
  `SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS "acceptsWrites",
     pg_postmaster_start_time()::text AS "startedAt"`,
);

interface Server {
  /** Host and port. */
  address: string;
  acceptsWrites: boolean;
  /** The server's start time in microseconds, which identifies the server. */
  startedAt: string;
}

/**
 * Returns the hosts in a database URL that accept writes, as `host:port`. Returns one host per server, because
 * several hosts can be proxies for the same server. Omits hosts that do not respond. Opens one connection to each
 * host and closes it immediately.
 */
export async function findWritableHosts(url: string): Promise<string[]> {
  const probes = await Promise.allSettled(splitHosts(url).map(probe));
  const servers = new Map<string, string>();
  for (const { status, ...result } of probes) {
    const { value } = result as { value?: Server };
    if (status === 'fulfilled' && value!.acceptsWrites && !servers.has(value!.startedAt))
      servers.set(value!.startedAt, value!.address);
  }
  return [...servers.values()];
}

/** Returns a host's state. @throws Error if it does not respond */
async function probe(url: string): Promise<Server> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
    application_name: `gatehouse/${VERSION}`,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const [server] = await runStatement(() => client as unknown as pg.Pool, [readServer]);
    return { ...server!, address: `${client.host}:${client.port}` };
  } finally {
    // `end` is not awaited, because a server that does not respond does not close the connection either.
    void client.end().catch(() => undefined);
  }
}
