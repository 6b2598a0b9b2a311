import { COUNT_CAP, URGENCY, type AlertCondition } from '@gatehouse/domain';
import type { Database } from '../database.js';

/** Most rows that are counted for a gauge. */
const GAUGE_COUNT_LIMIT = 100_000;

const isPending = `state = 'pending'`;
const isDeadLetter = `state = 'failed' AND resolution IS NULL`;
const isDisabledAsFailing = `status = 'disabled' AND disabled_reason = 'failing'`;

/** The next in line of an urgency. Batches are left out: they wait their turn by design. */
const readyQueueHead = (where: string, rows: number): string => `
  (VALUES (${URGENCY.first}), (${URGENCY.retry})) AS line (urgency) CROSS JOIN LATERAL (
    SELECT next_attempt_at AS at FROM deliveries
    WHERE ${isPending} AND lease_until IS NULL AND urgency = line.urgency ${where}
    ORDER BY next_attempt_at LIMIT ${rows}
  ) due`;

const countSql = (table: string, where: string, rows: number): string =>
  `(SELECT count(*) FROM (SELECT FROM ${table} WHERE ${where} LIMIT ${rows}) counted)::int`;

/** What is still to be delivered, and what went wrong. At most 100,000 are counted. */
export interface Backlog {
  pending: number;
  deadLetters: number;
  /** 0 when nothing is due. */
  oldestDueSeconds: number;
  /** Switched off because they had only failed. */
  disabledEndpoints: number;
}

/**
 * One number each for the whole house: for gauges and alerts, which know no tenants. However much there is, a look
 * reads little of it, along indexes of nothing else.
 */
export class BacklogRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<Backlog> {
    const [row] = await this.database.queryPrepared<Backlog>(
      `SELECT ${countSql('deliveries', isPending, GAUGE_COUNT_LIMIT)} AS pending,
         ${countSql('deliveries', isDeadLetter, GAUGE_COUNT_LIMIT)} AS "deadLetters",
         ${countSql('webhook_endpoints', isDisabledAsFailing, GAUGE_COUNT_LIMIT)} AS "disabledEndpoints",
         (SELECT coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(due.at))), 0)::float8
          FROM ${readyQueueHead('', 1)}) AS "oldestDueSeconds"`,
    );
    return row!;
  }

  /** What an operator should know of now. @param overdueMs how long a delivery may be due */
  async findAlertConditions(overdueMs: number): Promise<AlertCondition[]> {
    const late = `AND next_attempt_at <= statement_timestamp() - $1 * interval '1 ms'`;
    return this.database.queryPrepared<AlertCondition>(
      `SELECT * FROM (
         SELECT 'dead_letters' AS kind, ${countSql('deliveries', isDeadLetter, COUNT_CAP)} AS count,
           (SELECT min(finished_at) FROM deliveries WHERE ${isDeadLetter}) AS since,
           (SELECT max(finished_at) FROM deliveries WHERE ${isDeadLetter}) AS newest
         UNION ALL
         SELECT 'disabled_endpoints', ${countSql('webhook_endpoints', isDisabledAsFailing, COUNT_CAP)},
           (SELECT min(disabled_at) FROM webhook_endpoints WHERE ${isDisabledAsFailing}),
           (SELECT max(disabled_at) FROM webhook_endpoints WHERE ${isDisabledAsFailing})
         UNION ALL
         SELECT 'overdue_deliveries', least(count(*), ${COUNT_CAP})::int, min(due.at), clock_timestamp()
         FROM ${readyQueueHead(late, COUNT_CAP)}
       ) troubles WHERE count > 0 AND since IS NOT NULL`,
      [overdueMs],
    );
  }
}
