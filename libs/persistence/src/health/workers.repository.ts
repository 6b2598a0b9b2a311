import type { Database } from '../database.js';

/** A heartbeat of a webhook worker. */
export interface WorkerHeartbeat {
  /** Id of this run of the worker. */
  id: string;
  host: string;
  version: string;
  /** Number of attempts in flight. */
  inFlight: number;
}

export interface WorkerRecord extends WorkerHeartbeat {
  startedAt: Date;
  seenAt: Date;
  /** Whether the last heartbeat is recent. */
  isAlive: boolean;
}

/**
 * Time in seconds without a heartbeat after which a worker counts as dead; longer than several heartbeat
 * intervals.
 */
const HEARTBEAT_TIMEOUT_SECONDS = 20;

/** The registry of workers and their last heartbeats. */
export class WorkersRepository {
  constructor(private readonly database: Database) {}

  /** Records a heartbeat. Removes workers without a heartbeat for a day. */
  async recordHeartbeat({ id, host, version, inFlight }: WorkerHeartbeat): Promise<void> {
    await this.database.queryPrepared(
      `WITH expired AS (DELETE FROM workers WHERE seen_at < now() - interval '1 day' AND id <> $1)
       INSERT INTO workers (id, host, version, in_flight) VALUES ($1, $2, $3, $4)
       ON CONFLICT (id) DO UPDATE SET in_flight = excluded.in_flight, seen_at = now()`,
      [id, host, version, inFlight],
    );
  }

  /** Removes a worker that has shut down. */
  async remove(id: string): Promise<void> {
    await this.database.queryPrepared('DELETE FROM workers WHERE id = $1', [id]);
  }

  /** Returns the workers with a heartbeat within the last day, newest first, at most 100. */
  async list(): Promise<WorkerRecord[]> {
    return this.database.queryPrepared<WorkerRecord>(
      `SELECT id, host, version, in_flight AS "inFlight", started_at AS "startedAt", seen_at AS "seenAt",
         seen_at > now() - interval '${HEARTBEAT_TIMEOUT_SECONDS} seconds' AS "isAlive"
       FROM workers ORDER BY id DESC LIMIT 100`,
    );
  }
}
