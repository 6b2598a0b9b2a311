import type { EndpointHealth } from '@gatehouse/domain';
import type { Database } from '../database.js';
import { MAX_UUID, minIdAt } from '../uuid-v7.js';

/** An endpoint that seems to have only failed for long. */
export interface FailingEndpoint {
  endpointId: string;
  failingSince: Date;
}

/** Attempts of the log that one statement looks at. */
const SCAN_LIMIT = 10_000;

/** How attempts at endpoints go, gathered by the workers and a few seconds old. */
export class EndpointHealthRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds what a worker has gathered, in one statement. Workers report in any order: the last success decides which
   * failures still count. One that falls between the first and the last failure of another worker leaves the last, the
   * only one after it that is known.
   */
  async mergeReports(reports: ReadonlyMap<string, EndpointHealth>): Promise<void> {
    if (reports.size === 0) return;
    const rows = [...reports].map(([endpointId, health]) => ({ endpointId, ...health }));
    await this.database.queryPrepared(
      `INSERT INTO endpoint_health AS h (endpoint_id, failing_since, last_success_at, last_failure_at)
       SELECT * FROM json_to_recordset($1::json) AS r ("endpointId" uuid, "failingSince" timestamptz,
         "lastSuccessAt" timestamptz, "lastFailureAt" timestamptz)
       -- In one order in every worker, or two of them deadlock.
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
      [JSON.stringify(rows)],
    );
  }

  /**
   * Enabled endpoints whose first and last failure since their last success are that far apart, in ms. One that
   * failed once, and has heard nothing since, is not among them.
   */
  async findFailing(forMs: number, limit: number): Promise<FailingEndpoint[]> {
    return this.database.queryPrepared<FailingEndpoint>(
      `SELECT h.endpoint_id AS "endpointId", h.failing_since AS "failingSince"
       FROM endpoint_health h JOIN webhook_endpoints w ON w.id = h.endpoint_id AND w.status = 'enabled'
       WHERE h.last_failure_at - h.failing_since >= $1 * interval '1 ms' ORDER BY h.endpoint_id LIMIT $2`,
      [forMs, limit],
    );
  }

  /** The newest success that the log of attempts knows since a moment, however many attempts it holds; null: none. */
  async findLastSuccess(endpointId: string, since: Date): Promise<Date | null> {
    let before: string | null = MAX_UUID;
    while (before) {
      const [row]: { successAt: Date | null; oldest: string | null; count: number }[] =
        await this.database.queryPrepared(
          // Rows are compared in place of columns, so that no plan can walk the attempts of all endpoints.
          `SELECT max(started_at) FILTER (WHERE success) AS "successAt", min(id::text) AS oldest, count(*)::int AS count
           FROM (SELECT a.id, a.success, a.started_at FROM attempts a
             WHERE (a.endpoint_id, a.id) >= ($1::uuid, $2::uuid) AND (a.endpoint_id, a.id) < ($1, $3::uuid)
               AND a.id >= $2
             ORDER BY a.endpoint_id DESC, a.id DESC LIMIT ${SCAN_LIMIT}) newest`,
          [endpointId, minIdAt(since.getTime()), before],
        );
      if (row!.successAt) return row!.successAt;
      before = row!.count === SCAN_LIMIT ? row!.oldest : null;
    }
    return null;
  }

  /** Puts right what a worker that died has not reported: a success. */
  async recordSuccess(endpointId: string, successAt: Date): Promise<void> {
    await this.mergeReports(
      new Map([[endpointId, { failingSince: null, lastSuccessAt: successAt, lastFailureAt: null }]]),
    );
  }
}
