// Raw SQL: an upsert with a delete, a read of other processes' connections, and times from the database clock.
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { migrations } from '../migrations/index.js';
import { boolean, nullable, statement, text, type RowOf } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';

/**
 * How long an API process can go without a heartbeat before it counts as stopped, in seconds. Processes on version
 * 0.1.0 connect at least once a minute and close the connection after 30 seconds, so another process detects them
 * within this time.
 */
export const API_HEARTBEAT_TIMEOUT_SECONDS = 90;

/** The newest migration's timestamp, which determines the order of API versions. */
const SCHEMA_VERSION = Number(migrations.at(-1)!.name.slice(-13));

/**
 * SQL for the condition that a 0.1.0 process is connected. That version records no heartbeats, and later versions
 * have different application names.
 */
const isFirstVersionConnected = `EXISTS (SELECT FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.application_name = 'gatehouse')`;

// All processes insert the shared row first, so concurrent heartbeats lock rows in the same order.
const recordHeartbeat = statement(
  {},
  `WITH expired AS (DELETE FROM apis WHERE seen_at < now() - interval '1 day' AND id NOT IN ($1, '${NIL_UUID}'))
   INSERT INTO apis (id, host, version, schema_version)
   SELECT '${NIL_UUID}'::uuid, NULL, '0.1.0', 0 WHERE ${isFirstVersionConnected}
   UNION ALL SELECT $1::uuid, $2, $3, ${SCHEMA_VERSION}
   ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
);

const removeApi = statement({}, 'DELETE FROM apis WHERE id = $1');

const olderApiRow = { host: nullable(text), version: text };

/** A running API process on an older version. */
export type OlderApi = RowOf<typeof olderApiRow>;

const listOlder = statement(
  olderApiRow,
  `SELECT host, version FROM apis
   WHERE schema_version < ${SCHEMA_VERSION} AND seen_at > now() - interval '${API_HEARTBEAT_TIMEOUT_SECONDS} seconds'
   UNION SELECT NULL, '0.1.0' WHERE ${isFirstVersionConnected}
   ORDER BY version, host LIMIT 10`,
);

const isAnyRunning = statement(
  { isRunning: boolean },
  `SELECT ${isFirstVersionConnected} OR EXISTS (
     SELECT FROM apis WHERE seen_at > now() - interval '${API_HEARTBEAT_TIMEOUT_SECONDS} seconds'
   ) AS "isRunning"`,
);

/** The registry of API processes with their last heartbeats (ADR 0045). */
export class ApisRepository {
  constructor(private readonly database: Database) {}

  /**
   * Records a heartbeat, and one for the 0.1.0 processes if any is connected. Removes API processes without a
   * heartbeat for a day.
   */
  async recordHeartbeat({ id, host, version }: { id: string; host: string; version: string }): Promise<void> {
    await this.database.execute(recordHeartbeat, [id, host, version]);
  }

  /** Removes an API process that has shut down. */
  async remove(id: string): Promise<void> {
    await this.database.execute(removeApi, [id]);
  }

  /**
   * Returns whether an API process has sent a heartbeat within `API_HEARTBEAT_TIMEOUT_SECONDS`, or a 0.1.0 process is
   * connected.
   */
  async isAnyRunning(): Promise<boolean> {
    const [row] = await this.database.execute(isAnyRunning);
    return row!.isRunning;
  }

  /** Returns at most ten running API processes on older versions. */
  listOlder(tx: Tx): Promise<OlderApi[]> {
    return tx.execute(listOlder);
  }
}
