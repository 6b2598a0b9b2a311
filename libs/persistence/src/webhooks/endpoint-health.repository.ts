// Raw SQL: a multi-row upsert that depends on the previous values, and a bounded scan.
import type { EndpointHealth, TimeRange } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import {
  integer,
  neverNull,
  nullable,
  statement,
  text,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { MAX_UUID, minIdAt, NIL_UUID } from '../sql/uuid-v7.js';

const failingEndpointRow = { endpointId: uuid, failingSince: neverNull(timestamptz) };

/** An endpoint that appears to have had only failed attempts for a long time. */
export type FailingEndpoint = RowOf<typeof failingEndpointRow>;

/** Maximum number of attempts that one statement scans. */
const SCAN_LIMIT = 10_000;

const mergeReports = statement(
  {},
  `INSERT INTO endpoint_health AS h (endpoint_id, failing_since, last_success_at, last_failure_at)
   SELECT * FROM json_to_recordset($1::json) AS report ("endpointId" uuid, "failingSince" timestamptz,
     "lastSuccessAt" timestamptz, "lastFailureAt" timestamptz)
   -- The same order in every worker prevents deadlocks.
   ORDER BY "endpointId"
   ON CONFLICT (endpoint_id) DO UPDATE SET
     failing_since = least(
       CASE WHEN h.failing_since <= excluded.last_success_at
         THEN CASE WHEN h.last_failure_at > excluded.last_success_at THEN h.last_failure_at END
         ELSE h.failing_since END,
       CASE WHEN excluded.failing_since <= h.last_success_at
         THEN CASE WHEN excluded.last_failure_at > h.last_success_at THEN excluded.last_failure_at END
         ELSE excluded.failing_since END),
     last_success_at = greatest(h.last_success_at, excluded.last_success_at),
     last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at)`,
);

const findFailingEndpoints = statement(
  failingEndpointRow,
  `SELECT h.endpoint_id AS "endpointId", h.failing_since AS "failingSince"
   FROM endpoint_health h JOIN webhook_endpoints w ON w.id = h.endpoint_id AND w.status = 'enabled'
   WHERE h.last_failure_at - h.failing_since >= $1 * interval '1 ms'
     AND h.last_failure_at >= now() - $1 * interval '1 ms' AND h.endpoint_id > $2
   ORDER BY h.endpoint_id LIMIT $3`,
);

/** Maximum number of attempts per day to scan for failures. More attempts would not change the result. */
const DAY_SCAN_LIMIT = 100;

/** Unordered, so that each index scan ends after `DAY_SCAN_LIMIT` attempts. */
const countFailuresByDay = statement(
  { count: integer },
  `SELECT (
     SELECT count(*) FILTER (WHERE NOT success AND error IS DISTINCT FROM 'worker_lost')::int
     FROM (SELECT a.success, a.error FROM attempts a
       WHERE (a.endpoint_id, a.id) >= ($1::uuid, day.first) AND (a.endpoint_id, a.id) < ($1, day.past)
         AND a.id >= day.first AND a.id < day.past LIMIT ${DAY_SCAN_LIMIT}) scanned
   ) AS count FROM unnest($2::uuid[], $3::uuid[]) AS day (first, past) ORDER BY day.first`,
);

/** Compares rows instead of columns, so that no plan can scan the attempts of all endpoints. */
const scanNewestAttempts = statement(
  { successAt: nullable(timestamptz), oldest: nullable(text), count: integer },
  `SELECT max(started_at) FILTER (WHERE success) AS "successAt", min(id::text) AS oldest, count(*)::int AS count
   FROM (SELECT a.id, a.success, a.started_at FROM attempts a
     WHERE (a.endpoint_id, a.id) >= ($1::uuid, $2::uuid) AND (a.endpoint_id, a.id) < ($1, $3::uuid)
       AND a.id >= $2
     ORDER BY a.endpoint_id DESC, a.id DESC LIMIT ${SCAN_LIMIT}) newest`,
);

/** Endpoint health. Workers report it with a delay of a few seconds. */
export class EndpointHealthRepository {
  constructor(private readonly database: Database) {}

  /**
   * Merges a worker's reports in one statement. Because workers report in any order, the last success determines
   * which failures still count. If a success lies between the first and last failure of another report, that
   * report's last failure becomes the new `failing_since`, because it is the only known failure after the success.
   */
  async mergeReports(reports: ReadonlyMap<string, EndpointHealth>): Promise<void> {
    if (reports.size === 0) return;
    const rows = [...reports].map(([endpointId, health]) => ({ endpointId, ...health }));
    await this.database.execute(mergeReports, [JSON.stringify(rows)]);
  }

  /**
   * Returns enabled endpoints whose first and last failure since their last success are at least `forMs` ms apart, and
   * whose last failure was within the last `forMs` ms. Sorted by id. There may have been no attempts between these two
   * failures.
   */
  findFailing(forMs: number, after: string | null, limit: number): Promise<FailingEndpoint[]> {
    return this.database.execute(findFailingEndpoints, [forMs, after ?? NIL_UUID, limit]);
  }

  /**
   * Returns the number of failed attempts on each day, among at most `DAY_SCAN_LIMIT` attempts per day. Lost attempts
   * do not count, because they are not caused by the endpoint.
   */
  async countFailures(endpointId: string, days: TimeRange[]): Promise<number[]> {
    const rows = await this.database.execute(countFailuresByDay, [
      endpointId,
      days.map(({ from }) => minIdAt(from)),
      days.map(({ to }) => minIdAt(to)),
    ]);
    return rows.map(({ count }) => count);
  }

  /**
   * Returns the time of the newest successful attempt since `since`, or null. Scans the log in bounded steps, because
   * it may contain any number of attempts.
   */
  async findLastSuccess(endpointId: string, since: Date): Promise<Date | null> {
    const first = minIdAt(since.getTime());
    let before: string | null = MAX_UUID;
    while (before) {
      const values: string[] = [endpointId, first, before];
      const [row] = await this.database.execute(scanNewestAttempts, values);
      if (row!.successAt) return row!.successAt;
      before = row!.count === SCAN_LIMIT ? row!.oldest : null;
    }
    return null;
  }

  /** Records a success that a worker failed to report before it crashed. */
  async recordSuccess(endpointId: string, successAt: Date): Promise<void> {
    await this.mergeReports(
      new Map([[endpointId, { failingSince: null, lastSuccessAt: successAt, lastFailureAt: null }]]),
    );
  }
}
