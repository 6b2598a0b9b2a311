// Raw SQL: bounded counts over several tables in one statement.
import { COUNT_CAP, URGENCY, type AlertCondition, type AlertKind } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { projectsOverGuessLimitSql } from '../email-codes/guesses-sql.js';
import { failingMails } from '../mails/failing-mails-sql.js';
import { isRecentlyOverLimit } from '../mails/over-limit-sql.js';
import { double, integer, statement, textOf, timestamptz, type RowOf } from '../sql/statements.js';
import { isDisabledAsFailing } from '../webhooks/endpoint-status-sql.js';
import { isProblemCurrent } from './process-problems.repository.js';
import { isWorkerAlive } from './workers.repository.js';

/** Maximum number of rows that are counted for a gauge. */
const GAUGE_COUNT_LIMIT = 100_000;

const isPending = `state = 'pending'`;
const isDeadLetter = `state = 'failed' AND resolution IS NULL`;

/** Returns SQL for the head of the ready queue in each urgency. Excludes batches, which wait by design. */
const readyQueueHead = (where: string, rows: number): string => `
  (VALUES (${URGENCY.first}), (${URGENCY.retry})) AS queue (urgency) CROSS JOIN LATERAL (
    SELECT next_attempt_at AS at FROM deliveries
    WHERE ${isPending} AND lease_until IS NULL AND urgency = queue.urgency ${where}
    ORDER BY next_attempt_at LIMIT ${rows}
  ) due`;

const countSql = (table: string, where: string, rows: number): string =>
  `(SELECT count(*) FROM (SELECT FROM ${table} WHERE ${where} LIMIT ${rows}) counted)::int`;

/** Returns SQL for the time in seconds since the first `due.at` of a FROM item; 0 if it is in the future. */
const waitSql = (due: string): string =>
  `(SELECT coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(due.at))), 0)::float8 FROM ${due})`;

/**
 * SQL for the number of failing emails. `$1` states whether the installation has a mail server. Without one, the
 * number is 0.
 */
const FAILING_MAILS = `coalesce((SELECT count FROM (${failingMails(COUNT_CAP)}) failing WHERE $1::boolean), 0)`;

const backlogRow = {
  pending: integer,
  deadLetters: integer,
  /** Seconds that the oldest due delivery has waited; 0 if none is due. */
  oldestDueSeconds: double,
  /** Number of endpoints that were disabled because all attempts had failed. */
  disabledEndpoints: integer,
  /** Number of workers with a recent heartbeat. */
  runningWorkers: integer,
  /** Number of emails that wait to be sent, and the seconds that the oldest due one has waited; 0 if none is due. */
  pendingMails: integer,
  oldestDueMailSeconds: double,
  /** Age in seconds of the oldest email that waits to be sent, regardless of its attempts; 0 if none waits. */
  oldestPendingMailSeconds: double,
  /** Number of emails that fail while the mail server accepts none; 0 without a mail server. */
  failingMails: integer,
};

/** The installation's pending deliveries, pending emails and problems. No count exceeds 100,000. */
export type Backlog = RowOf<typeof backlogRow>;

const readBacklog = statement(
  backlogRow,
  `SELECT ${countSql('deliveries', isPending, GAUGE_COUNT_LIMIT)} AS pending,
     ${countSql('deliveries', isDeadLetter, GAUGE_COUNT_LIMIT)} AS "deadLetters",
     ${countSql('webhook_endpoints', isDisabledAsFailing, GAUGE_COUNT_LIMIT)} AS "disabledEndpoints",
     (SELECT count(*)::int FROM workers WHERE ${isWorkerAlive}) AS "runningWorkers",
     ${countSql('mails', isPending, GAUGE_COUNT_LIMIT)} AS "pendingMails",
     ${waitSql(`(SELECT next_try_at AS at FROM mails WHERE ${isPending} ORDER BY next_try_at LIMIT 1) due`)}
       AS "oldestDueMailSeconds",
     ${waitSql(`(SELECT created_at AS at FROM mails WHERE ${isPending} ORDER BY created_at LIMIT 1) due`)}
       AS "oldestPendingMailSeconds",
     ${FAILING_MAILS} AS "failingMails",
     ${waitSql(readyQueueHead('', 1))} AS "oldestDueSeconds"`,
);

const countFailingMails = statement({ count: integer }, `SELECT ${FAILING_MAILS} AS count`);

const isOverdue = `next_attempt_at <= statement_timestamp() - $1 * interval '1 ms'`;

const findAlertConditions = statement(
  { kind: textOf<AlertKind>(), count: integer, since: timestamptz, newest: timestamptz },
  `SELECT * FROM (
     SELECT 'dead_letters' AS kind, ${countSql('deliveries', isDeadLetter, COUNT_CAP)} AS count,
       (SELECT min(finished_at) FROM deliveries WHERE ${isDeadLetter}) AS since,
       (SELECT max(finished_at) FROM deliveries WHERE ${isDeadLetter}) AS newest
     UNION ALL
     SELECT 'disabled_endpoints', ${countSql('webhook_endpoints', isDisabledAsFailing, COUNT_CAP)},
       (SELECT min(disabled_at) FROM webhook_endpoints WHERE ${isDisabledAsFailing}),
       (SELECT max(disabled_at) FROM webhook_endpoints WHERE ${isDisabledAsFailing})
     UNION ALL
     SELECT 'dropped_emails', ${countSql('mails', isRecentlyOverLimit, COUNT_CAP)},
       (SELECT min(created_at) FROM mails WHERE ${isRecentlyOverLimit}),
       (SELECT max(created_at) FROM mails WHERE ${isRecentlyOverLimit})
     UNION ALL
     SELECT 'mail_delivery_failing', failing.count, failing.since, failing.newest
     FROM (${failingMails(COUNT_CAP)}) failing WHERE $2::boolean
     UNION ALL
     SELECT 'guessed_email_codes', count(*)::int, min(guessed.since), max(guessed.newest)
     FROM (${projectsOverGuessLimitSql(COUNT_CAP)}) guessed
     UNION ALL
     SELECT kind, least(count(*), ${COUNT_CAP})::int, min(since), max(since)
     FROM process_problems WHERE ${isProblemCurrent} GROUP BY kind
     UNION ALL
     SELECT 'overdue_deliveries', least(count(*), ${COUNT_CAP})::int, min(due.at), clock_timestamp()
     FROM ${readyQueueHead(`AND ${isOverdue}`, COUNT_CAP)}
   ) conditions WHERE count > 0 AND since IS NOT NULL`,
);

/**
 * Reads the installation-wide backlog for gauges and alerts, which are not specific to a tenant. Reads a bounded
 * number of rows, with indexes that contain only the counted rows.
 */
export class BacklogRepository {
  /** @param hasMailServer false if emails are captured */
  constructor(
    private readonly database: Database,
    private readonly hasMailServer: boolean,
  ) {}

  async read(): Promise<Backlog> {
    const [backlog] = await this.database.execute(readBacklog, [this.hasMailServer]);
    return backlog!;
  }

  /** Counts the emails that fail while the mail server accepts none, at most 1,000; 0 without a mail server. */
  async countFailingMails(): Promise<number> {
    const [row] = await this.database.execute(countFailingMails, [this.hasMailServer]);
    return row!.count;
  }

  /**
   * Returns the current conditions for alerts.
   * @param overdueMs time in ms after which a due delivery counts as overdue
   */
  findAlertConditions(overdueMs: number): Promise<AlertCondition[]> {
    return this.database.execute(findAlertConditions, [overdueMs, this.hasMailServer]);
  }
}
