import type { EndpointHealth } from '@gatehouse/domain';
import type { Database } from '../database.js';
import { MAX_UUID, minIdAt } from '../uuid-v7.js';

/** The most attempts that statistics are made of: the newest. */
export const MAX_STATS_ATTEMPTS = 10_000;

/** How the attempts at an endpoint went since a moment. Durations in ms, null without an attempt. */
export interface EndpointStats extends EndpointHealth {
  attempts: number;
  succeeded: number;
  p50DurationMs: number | null;
  p95DurationMs: number | null;
  /** When the oldest of the attempts began. */
  oldestAt: Date | null;
}

export class EndpointStatsRepository {
  constructor(private readonly database: Database) {}

  /** Of an endpoint whose reach has been checked. What a worker broke off by its own fault has no duration. */
  async getSince(endpointId: string, start: Date): Promise<EndpointStats> {
    const [row] = await this.database.query<EndpointStats>(
      `SELECT s.*, h.failing_since AS "failingSince", h.last_success_at AS "lastSuccessAt",
         h.last_failure_at AS "lastFailureAt"
       FROM (
         SELECT count(*)::int AS attempts, count(*) FILTER (WHERE success)::int AS succeeded,
           percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE is_timed) AS "p50DurationMs",
           percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE is_timed) AS "p95DurationMs",
           min(started_at) AS "oldestAt"
         -- Rows are compared in place of columns, so that no plan can walk the attempts of all endpoints.
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
