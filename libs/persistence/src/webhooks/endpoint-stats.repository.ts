// Raw SQL: aggregates over a bounded range.
import type { Database } from '../database/database.js';
import { dynamicStatement, integer, nullable, timestamptz, type RowOf } from '../sql/statements.js';
import { MAX_UUID, minIdAt, NIL_UUID } from '../sql/uuid-v7.js';

/** Maximum number of attempts in the statistics. The newest ones are used. */
export const MAX_STATS_ATTEMPTS = 10_000;

const statsRow = {
  attempts: integer,
  succeeded: integer,
  /** Null, like `p95DurationMs`, if no attempt has a duration. */
  p50DurationMs: nullable(integer),
  p95DurationMs: nullable(integer),
  /** The oldest attempt's start time. */
  oldestAt: nullable(timestamptz),
  failingSince: nullable(timestamptz),
  lastSuccessAt: nullable(timestamptz),
  lastFailureAt: nullable(timestamptz),
};

/** An endpoint's health, and statistics about its attempts since a given time. */
export type EndpointStats = RowOf<typeof statsRow>;

/**
 * Compares rows instead of columns, so that no plan can scan the attempts of all endpoints. The statement is not
 * prepared, because the partitions to scan depend on the time.
 */
const readStats = dynamicStatement(
  statsRow,
  (endpointId: string, start: Date) => ({
    text: `
      SELECT stats.*, h.failing_since AS "failingSince", h.last_success_at AS "lastSuccessAt",
        h.last_failure_at AS "lastFailureAt"
      FROM (
        SELECT count(*)::int AS attempts, count(*) FILTER (WHERE success)::int AS succeeded,
          percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE is_timed) AS "p50DurationMs",
          percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE is_timed) AS "p95DurationMs",
          min(started_at) AS "oldestAt"
        FROM (SELECT a.success, a.duration_ms, a.started_at, a.error IS DISTINCT FROM 'worker_lost' AS is_timed
          FROM attempts a
          WHERE (a.endpoint_id, a.id) >= ($1::uuid, $2::uuid)
            AND (a.endpoint_id, a.id) <= ($1, '${MAX_UUID}') AND a.id >= $2
          ORDER BY a.endpoint_id DESC, a.id DESC LIMIT ${MAX_STATS_ATTEMPTS}) newest
      ) stats LEFT JOIN endpoint_health h ON h.endpoint_id = $1`,
    values: [endpointId, minIdAt(start.getTime())],
  }),
  [[NIL_UUID, new Date(0)]],
);

export class EndpointStatsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns an endpoint's statistics. The durations exclude attempts with the error `worker_lost`. The caller must
   * have checked the access scope.
   */
  async getSince(endpointId: string, start: Date): Promise<EndpointStats> {
    const [row] = await this.database.execute(readStats(endpointId, start));
    return row!;
  }
}
