// Raw SQL: bounded counts over several tables in one statement.
import { URGENCY } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { COUNT_CAP } from '../lists/capped-count.js';
import { failingMails } from '../mails/failing-mails-sql.js';
import { isRecentlyOverLimit } from '../mails/over-limit-sql.js';
import { integer, nullable, statement, text, timestamptz, type RowOf } from '../sql/statements.js';
import { isDeadLetter } from '../webhooks/delivery-filter.js';
import { isDisabledAsFailing, isFailingForAnHour } from '../webhooks/endpoint-status-sql.js';

const statusRow = {
  /** PostgreSQL version. */
  version: text,
  migrationsApplied: integer,
  /** Number of unfinished deliveries. */
  pending: integer,
  /** Number of due deliveries, excluding batches, which wait by design. */
  due: integer,
  oldestDueAt: nullable(timestamptz),
  /** Number of claimed deliveries. */
  inFlight: integer,
  deadLetters: integer,
  /** Number of endpoints that were disabled because all attempts had failed. */
  disabledEndpoints: integer,
  /** Number of enabled endpoints whose attempts have all failed for an hour or longer. */
  failingEndpoints: integer,
  mailsPending: integer,
  mailsFailed: integer,
  /** Number of emails that were dropped in the last hour because of a project's limit. */
  mailsOverLimit: integer,
  /** The oldest pending email's creation time. */
  oldestMailAt: nullable(timestamptz),
  /** Number of emails that fail while the mail server accepts none, if the installation has one. */
  mailsFailing: integer,
};

/** The installation's status, according to the database. No count exceeds 10,000. */
export type SystemStatus = RowOf<typeof statusRow>;

const countSql = (from: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT ${COUNT_CAP}) counted)`;

/** The ready deliveries of one urgency, in index order. */
const readyDeliveries = `deliveries d WHERE d.state = 'pending' AND d.lease_until IS NULL AND d.urgency = queue.urgency
  AND d.next_attempt_at <= statement_timestamp()`;

const failingEndpoints = `endpoint_health h JOIN webhook_endpoints w ON w.id = h.endpoint_id
  WHERE ${isFailingForAnHour} AND w.status = 'enabled'`;

const readStatus = statement(
  statusRow,
  `SELECT current_setting('server_version') AS version,
     (SELECT count(DISTINCT timestamp)::int FROM migrations) AS "migrationsApplied",
     ${countSql(`deliveries WHERE state = 'pending'`)} AS pending,
     queues.due, queues.oldest AS "oldestDueAt",
     ${countSql('deliveries WHERE lease_until IS NOT NULL')} AS "inFlight",
     ${countSql(`deliveries d WHERE ${isDeadLetter}`)} AS "deadLetters",
     ${countSql(`webhook_endpoints WHERE ${isDisabledAsFailing}`)} AS "disabledEndpoints",
     ${countSql(failingEndpoints)} AS "failingEndpoints",
     ${countSql(`mails WHERE state = 'pending'`)} AS "mailsPending",
     (SELECT min(created_at) FROM mails WHERE state = 'pending') AS "oldestMailAt",
     (SELECT count FROM (${failingMails(COUNT_CAP)}) failing) AS "mailsFailing",
     ${countSql(`mails WHERE state = 'failed'`)} AS "mailsFailed",
     ${countSql(`mails WHERE ${isRecentlyOverLimit}`)} AS "mailsOverLimit"
   FROM (SELECT least(sum(ready.count), ${COUNT_CAP})::int AS due, min(ready.oldest) AS oldest
      FROM (VALUES (${URGENCY.first}), (${URGENCY.retry})) AS queue (urgency) CROSS JOIN LATERAL (
        SELECT ${countSql(readyDeliveries)} AS count,
          (SELECT d.next_attempt_at FROM ${readyDeliveries} ORDER BY d.next_attempt_at LIMIT 1) AS oldest
      ) ready) queues`,
);

/**
 * Reads the installation-wide status. Scans a bounded number of rows, with indexes that contain only the counted
 * rows.
 */
export class SystemStatusRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<SystemStatus> {
    const [row] = await this.database.execute(readStatus);
    return row!;
  }
}
