import type { Metrics } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import type { Backlog, BacklogRepository } from './backlog.repository.js';
import { cacheReads } from './cached-reads.js';

/** Name and help text of the gauge for each backlog field. */
const backlogGauges: Record<keyof Backlog, [name: string, help: string]> = {
  pending: ['gatehouse_deliveries_pending', 'Pending deliveries of the installation, counted up to 100,000.'],
  deadLetters: ['gatehouse_dead_letters', 'Dead letters of the installation, counted up to 100,000.'],
  oldestDueSeconds: [
    'gatehouse_deliveries_oldest_due_seconds',
    'Time that the oldest due delivery has waited for a worker. Excludes bulk redeliveries.',
  ],
  disabledEndpoints: [
    'gatehouse_webhook_endpoints_disabled',
    'Endpoints of the installation that were disabled because all attempts had failed.',
  ],
  runningWorkers: [
    'gatehouse_workers_running',
    'Webhook-workers of the installation that have sent a heartbeat within the last 20 seconds.',
  ],
  pendingMails: [
    'gatehouse_mails_pending',
    'Emails of the installation that wait to be sent, counted up to 100,000.',
  ],
  oldestDueMailSeconds: [
    'gatehouse_mails_oldest_due_seconds',
    'Time that the oldest due email has waited for a worker. Starts again after each failed attempt.',
  ],
  oldestPendingMailSeconds: [
    'gatehouse_mails_oldest_pending_seconds',
    'Time since the creation of the oldest email that waits to be sent.',
  ],
  failingMails: [
    'gatehouse_mails_failing',
    'Emails that cannot be sent while the mail server accepts none, counted up to 1,000.',
  ],
};

/** Registers a statement duration histogram. @returns a function that records a duration in seconds */
export function measureStatements(metrics: Metrics): (seconds: number) => void {
  const durations = metrics.histogram(
    'gatehouse_database_statement_duration_seconds',
    'Time from sending a statement to PostgreSQL until its result arrives. Excludes the replica.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );
  return (seconds) => durations.observe(seconds);
}

/** Registers metrics for this process's connection pool and for the installation's backlog. */
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

  const { replica } = database;
  if (replica) {
    metrics.gauge(
      'gatehouse_database_replica_up',
      '1 if lists are read from the replica of DATABASE_READ_URL, otherwise 0.',
      () => (replica.isUsed === null ? null : Number(replica.isUsed)),
    );
    metrics.gauge(
      'gatehouse_database_replica_lag_seconds',
      'Maximum time by which the replica is behind the primary.',
      () => replica.lagMs && replica.lagMs / 1_000,
    );
  }

  const backlog = cacheReads(() => repository.read());
  metrics.gauge('gatehouse_database_up', '1 if PostgreSQL responds, otherwise 0.', () =>
    backlog().then(
      () => 1,
      () => 0,
    ),
  );
  for (const [field, [name, help]] of Object.entries(backlogGauges))
    metrics.gauge(name, help, async () => (await backlog())[field as keyof Backlog]);
}
