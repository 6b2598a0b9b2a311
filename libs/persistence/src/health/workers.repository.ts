import type { Database } from '../database.js';

/** A webhook-worker as it speaks of itself. */
export interface WorkerHeartbeat {
  /** Of this run of it. */
  id: string;
  host: string;
  version: string;
  /** Attempts under way. */
  inFlight: number;
}

export interface WorkerRecord extends WorkerHeartbeat {
  startedAt: Date;
  seenAt: Date;
  /** Whether it has been heard of just now. */
  isAlive: boolean;
}

/** Without a sign of life for so long, in seconds, a worker is taken for dead: some of its beats. */
const HEARTBEAT_TIMEOUT_SECONDS = 20;

/** Which workers there are, and when they were last heard of. */
export class WorkersRepository {
  constructor(private readonly database: Database) {}

  /** Says that a worker is there. Those that have been silent for a day are forgotten. */
  async recordHeartbeat({ id, host, version, inFlight }: WorkerHeartbeat): Promise<void> {
    await this.database.queryPrepared(
      `WITH gone AS (DELETE FROM workers WHERE seen_at < now() - interval '1 day' AND id <> $1)
       INSERT INTO workers (id, host, version, in_flight) VALUES ($1, $2, $3, $4)
       ON CONFLICT (id) DO UPDATE SET in_flight = excluded.in_flight, seen_at = now()`,
      [id, host, version, inFlight],
    );
  }

  /** Forgets a worker that has stopped in order. */
  async remove(id: string): Promise<void> {
    await this.database.queryPrepared('DELETE FROM workers WHERE id = $1', [id]);
  }

  /** Every worker that was heard of within a day, the newest first; at most 100. */
  async list(): Promise<WorkerRecord[]> {
    return this.database.queryPrepared<WorkerRecord>(
      `SELECT id, host, version, in_flight AS "inFlight", started_at AS "startedAt", seen_at AS "seenAt",
         seen_at > now() - interval '${HEARTBEAT_TIMEOUT_SECONDS} seconds' AS "isAlive"
       FROM workers ORDER BY id DESC LIMIT 100`,
    );
  }
}
