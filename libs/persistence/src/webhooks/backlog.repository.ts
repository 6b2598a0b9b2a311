import { MOST_COUNTED, URGENCY, type Trouble } from '@gatehouse/domain';
import type { Database } from '../database.js';

/** Most rows that are counted for a gauge. */
const GAUGE_ROWS = 100_000;

const pending = `state = 'pending'`;
const dead = `state = 'failed' AND resolution IS NULL`;
const failing = `status = 'disabled' AND disabled_reason = 'failing'`;

/** The next in line of an urgency. Batches are left out: they wait their turn by design. */
const line = (where: string, rows: number): string => `
  (VALUES (${URGENCY.first}), (${URGENCY.retry})) AS line (urgency) CROSS JOIN LATERAL (
    SELECT next_attempt_at AS at FROM deliveries
    WHERE ${pending} AND lease_until IS NULL AND urgency = line.urgency ${where}
    ORDER BY next_attempt_at LIMIT ${rows}
  ) due`;

const count = (table: string, where: string, rows: number): string =>
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
    const [row] = await this.database.prepared<Backlog>(
      `SELECT ${count('deliveries', pending, GAUGE_ROWS)} AS pending,
         ${count('deliveries', dead, GAUGE_ROWS)} AS "deadLetters",
         ${count('webhook_endpoints', failing, GAUGE_ROWS)} AS "disabledEndpoints",
         (SELECT coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(due.at))), 0)::float8
          FROM ${line('', 1)}) AS "oldestDueSeconds"`,
    );
    return row!;
  }

  /** What an operator should know of now. @param overdueMs how long a delivery may be due */
  async troubles(overdueMs: number): Promise<Trouble[]> {
    const late = `AND next_attempt_at <= statement_timestamp() - $1 * interval '1 ms'`;
    return this.database.prepared<Trouble>(
      `SELECT * FROM (
         SELECT 'dead_letters' AS kind, ${count('deliveries', dead, MOST_COUNTED)} AS count,
           (SELECT min(finished_at) FROM deliveries WHERE ${dead}) AS since,
           (SELECT max(finished_at) FROM deliveries WHERE ${dead}) AS newest
         UNION ALL
         SELECT 'disabled_endpoints', ${count('webhook_endpoints', failing, MOST_COUNTED)},
           (SELECT min(disabled_at) FROM webhook_endpoints WHERE ${failing}),
           (SELECT max(disabled_at) FROM webhook_endpoints WHERE ${failing})
         UNION ALL
         SELECT 'overdue_deliveries', least(count(*), ${MOST_COUNTED})::int, min(due.at), clock_timestamp()
         FROM ${line(late, MOST_COUNTED)}
       ) troubles WHERE count > 0 AND since IS NOT NULL`,
      [overdueMs],
    );
  }
}
