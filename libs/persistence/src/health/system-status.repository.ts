import { URGENCY } from '@gatehouse/domain';
import { COUNT_CAP } from '../capped-count.js';
import type { Database } from '../database.js';

/** The status of the installation according to the database. No count exceeds 10,000. */
export interface SystemStatus {
  /** Version of PostgreSQL. */
  version: string;
  migrationsApplied: number;
  /** Number of unfinished deliveries. */
  pending: number;
  /** Number of due deliveries, without those of batches, which wait by design. */
  due: number;
  oldestDueAt: Date | null;
  /** Number of claimed deliveries. */
  inFlight: number;
  mailsPending: number;
  mailsFailed: number;
  /** Creation time of the oldest counted pending email. */
  oldestMailAt: Date | null;
}

const count = (from: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT ${COUNT_CAP}) counted)`;

/** The ready deliveries of an urgency, in the order of their index. */
const readyDeliveries = `deliveries d WHERE d.state = 'pending' AND d.lease_until IS NULL AND d.urgency = queue.urgency
  AND d.next_attempt_at <= statement_timestamp()`;

const pendingMails = `(SELECT created_at FROM mails WHERE state = 'pending' LIMIT ${COUNT_CAP}) mails`;

/**
 * The status of the complete installation. Reads a bounded number of rows, with indexes that contain only the
 * counted rows.
 */
export class SystemStatusRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<SystemStatus> {
    const [row] = await this.database.queryPrepared<SystemStatus>(
      `SELECT current_setting('server_version') AS version,
         (SELECT count(DISTINCT timestamp)::int FROM migrations) AS "migrationsApplied",
         ${count(`deliveries WHERE state = 'pending'`)} AS pending,
         queues.due, queues.oldest AS "oldestDueAt",
         ${count('deliveries WHERE lease_until IS NOT NULL')} AS "inFlight",
         pending_mails.count AS "mailsPending", pending_mails.oldest AS "oldestMailAt",
         ${count(`mails WHERE state = 'failed'`)} AS "mailsFailed"
       FROM (SELECT count(*)::int, min(created_at) AS oldest FROM ${pendingMails}) pending_mails,
         (SELECT least(sum(each.count), ${COUNT_CAP})::int AS due, min(each.oldest) AS oldest
          FROM (VALUES (${URGENCY.first}), (${URGENCY.retry})) AS queue (urgency) CROSS JOIN LATERAL (
            SELECT ${count(readyDeliveries)} AS count,
              (SELECT d.next_attempt_at FROM ${readyDeliveries} ORDER BY d.next_attempt_at LIMIT 1) AS oldest
          ) each) queues`,
    );
    return row!;
  }
}
