import { monotonicMs, withTimeout, type Metrics } from '@gatehouse/platform';
import type { Database } from './database.js';
import type { Backlog, BacklogRepository } from './webhooks/backlog.repository.js';

/** However many scrape, the database is asked once in so many ms. */
const CACHE_MS = 5_000;

/** A scrape has 10 s by default, and everything else to tell. */
const TIMEOUT_MS = 2_000;

/** Shows the database to Prometheus: the pool of this process, and what is still to be delivered by all of them. */
export function registerDatabaseMetrics(
  metrics: Metrics,
  database: Database,
  repository: BacklogRepository,
): void {
  const pool = (key: 'busy' | 'idle' | 'waiting') => () => database.getPoolUsage()?.[key] ?? null;
  metrics.gauge(
    'gatehouse_database_connections_busy',
    'Database connections of the pool in use.',
    pool('busy'),
  );
  metrics.gauge(
    'gatehouse_database_connections_idle',
    'Idle database connections of the pool.',
    pool('idle'),
  );
  metrics.gauge(
    'gatehouse_database_pool_waiting',
    'Operations waiting for a database connection.',
    pool('waiting'),
  );

  const backlog = cached(() => repository.read());
  const of = (key: keyof Backlog) => async () => (await backlog())[key];
  metrics.gauge('gatehouse_database_up', '1 if PostgreSQL responds, otherwise 0.', () =>
    backlog().then(
      () => 1,
      () => 0,
    ),
  );
  metrics.gauge(
    'gatehouse_deliveries_pending',
    'Pending deliveries of the installation, counted up to 100,000.',
    of('pending'),
  );
  metrics.gauge(
    'gatehouse_dead_letters',
    'Dead letters of the installation, counted up to 100,000.',
    of('deadLetters'),
  );
  metrics.gauge(
    'gatehouse_deliveries_oldest_due_seconds',
    'Time that the oldest due delivery has waited for a worker. Excludes bulk redeliveries.',
    of('oldestDueSeconds'),
  );
  metrics.gauge(
    'gatehouse_webhook_endpoints_disabled',
    'Endpoints of the installation that were disabled because all attempts had failed.',
    of('disabledEndpoints'),
  );
}

/** The last answer, or the last failure, while it is fresh. */
function cached<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let until = -Infinity;
  return () => {
    if (last && monotonicMs() < until) return last;
    until = monotonicMs() + CACHE_MS;
    last = withTimeout(read(), TIMEOUT_MS, 'PostgreSQL did not respond in time');
    return last;
  };
}
