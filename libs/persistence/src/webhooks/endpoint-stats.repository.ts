import type { EndpointHealth } from '@gatehouse/domain';
import type { Database } from '../database.js';
import { MAX_UUID, minIdAt } from '../uuid-v7.js';

/** Maximum number of attempts in the statistics: the newest ones. */
export const MAX_STATS_ATTEMPTS = 10_000;

/** Statistics of the attempts to an endpoint since a time. Durations in ms, null without an attempt. */
export interface EndpointStats extends EndpointHealth {
  attempts: number;
  succeeded: number;
  p50DurationMs: number | null;
  p95DurationMs: number | null;
  /** Start of the oldest of these attempts. */
  oldestAt: Date | null;
}

export class EndpointStatsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the statistics of an endpoint. Attempts with the error `worker_lost` have no duration. The caller
   * has checked the reach.
   */
  async getSince(endpointId: string, start: Date): Promise<EndpointStats> {
    const [row] = await this.database.query<EndpointStats>(
      `SELECT s.*, h.failing_since AS "failingSince", h.last_success_at AS "lastSuccessAt",
         h.last_failure_at AS "lastFailureAt"
       FROM (
         SELECT count(*)::int AS attempts, count(*) FILTER (WHERE success)::int AS succeeded,
           percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE is_timed) AS "p50DurationMs",
           percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE is_timed) AS "p95DurationMs",
           min(started_at) AS "oldestAt"
         -- Compares rows instead of columns, so that no plan can scan the attempts of all endpoints.
         FROM (SELECT a.success, a.duration_ms, a.started_at, a.error IS DISTINCT FROM 'worker_lost' AS is_timed
           FROM attempts a
           WHERE (a.endpoint_id, a.id) >= ($1::uuid, $2::uuid)
             AND (a.endpoint_id, a.id) <= ($1, '${MAX_UUID}') AND a.id >= $2
           ORDER BY a.endpoint_id DESC, a.id DESC LIMIT ${MAX_STATS_ATTEMPTS}) newest
       ) s LEFT JOIN endpoint_health h ON h.endpoint_id = $1`,
      [endpointId, minIdAt(start.getTime())],
    );
    return row!;
  }
}
