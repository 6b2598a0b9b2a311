// Raw SQL: an upsert with a delete, a write outside a transaction, and times computed from the database clock.
import type { Database } from '../database/database.js';
import {
  boolean,
  double,
  integer,
  nullable,
  statement,
  text,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';

/** A webhook worker's heartbeat. */
export interface WorkerHeartbeat {
  /** Identifies the worker's run. */
  id: string;
  host: string;
  version: string;
  /** Number of attempts in flight. */
  inFlight: number;
}

/**
 * How long a worker can go without a heartbeat before it counts as stopped, in seconds. It is longer than several
 * heartbeat intervals.
 */
const HEARTBEAT_TIMEOUT_SECONDS = 20;

/** SQL for the condition that a worker is running. */
export const isWorkerAlive = `seen_at > now() - interval '${HEARTBEAT_TIMEOUT_SECONDS} seconds'`;

const recordHeartbeat = statement(
  {},
  `WITH expired AS (DELETE FROM workers WHERE seen_at < now() - interval '1 day' AND id <> $1)
   INSERT INTO workers (id, host, version, in_flight) VALUES ($1, $2, $3, $4)
   ON CONFLICT (id) DO UPDATE SET in_flight = excluded.in_flight, seen_at = now()`,
);

const removeWorker = statement({}, 'DELETE FROM workers WHERE id = $1');

const workerRow = {
  id: uuid,
  host: text,
  version: text,
  inFlight: integer,
  startedAt: timestamptz,
  seenAt: timestamptz,
  /** True if the last heartbeat is recent. */
  isAlive: boolean,
};

export type WorkerRecord = RowOf<typeof workerRow>;

const listWorkers = statement(
  workerRow,
  `SELECT id, host, version, in_flight AS "inFlight", started_at AS "startedAt", seen_at AS "seenAt",
     ${isWorkerAlive} AS "isAlive"
   FROM workers ORDER BY id DESC LIMIT 100`,
);

const readMsWithoutWorker = statement(
  { ms: nullable(double) },
  `SELECT min(CASE WHEN ${isWorkerAlive} THEN 0 ELSE extract(epoch FROM now() - seen_at) * 1000 END)::float8 AS ms
   FROM workers`,
);

/** The registry of workers with their last heartbeats. */
export class WorkersRepository {
  constructor(private readonly database: Database) {}

  /** Records a heartbeat. Removes workers without a heartbeat for a day. */
  async recordHeartbeat({ id, host, version, inFlight }: WorkerHeartbeat): Promise<void> {
    await this.database.execute(recordHeartbeat, [id, host, version, inFlight]);
  }

  /** Removes a worker that has shut down. */
  async remove(id: string): Promise<void> {
    await this.database.execute(removeWorker, [id]);
  }

  /**
   * Returns the time in ms since a worker last sent a heartbeat: 0 if one is running, or null if all have shut down
   * or none was started.
   */
  async getMsWithoutWorker(): Promise<number | null> {
    const [row] = await this.database.execute(readMsWithoutWorker);
    return row!.ms;
  }

  /** Returns the workers with a heartbeat within the last day, newest first, at most 100. */
  list(): Promise<WorkerRecord[]> {
    return this.database.execute(listWorkers);
  }
}
