// Raw SQL: a table that exists before the first migration, times from the database clock, and the lock that version
// 0.1.0 uses.
import { hostname } from 'node:os';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { errorMessage, monotonicMs, newId, sleep } from '@gatehouse/platform';
import { migrationRun } from '../migrations/migration-run.js';

/** How long a lease is valid without a renewal. After that, another process takes it over. */
const LEASE_DURATION = `interval '30 seconds'`;

/** Interval between renewals in ms. */
const RENEWAL_INTERVAL_MS = 5_000;

/** Interval between attempts to acquire the lease in ms. */
const POLL_INTERVAL_MS = 1_000;

/** Minimum time in ms between two log messages about the same holder. */
const WAITING_LOG_MS = 60_000;

/** Advisory lock key that version 0.1.0 holds while it migrates. */
const FIRST_VERSION_LOCK = 7_120_913;

/** Advisory lock key for creating the lease table. */
const TABLE_LOCK = 7_120_918;

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS migration_lease (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    id uuid NOT NULL,
    holder text NOT NULL,
    acquired_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL
  )`;

/**
 * The process that holds the lease, and the time at which it was acquired; null for version 0.1.0, which does not
 * store it.
 */
interface Holder {
  holder: string;
  since: Date | null;
}

/**
 * A process's exclusive right to migrate. It ends when it is released, or 30 seconds after its last renewal (ADR 0054).
 */
export class MigrationLease {
  private readonly id = newId();
  private readonly logger = migrationRun.getStore()!.logger;

  private constructor(private readonly source: DataSource) {}

  /**
   * Waits until no other process holds the lease, then runs `work` while holding it.
   * @param source must have at least two connections, because the lease is renewed while one is busy
   */
  static async hold<Result>(
    source: DataSource,
    work: (lease: MigrationLease) => Promise<Result>,
  ): Promise<Result> {
    const lease = new MigrationLease(source);
    await lease.acquire();
    const timer = setInterval(() => void lease.renew(), RENEWAL_INTERVAL_MS).unref();
    try {
      return await work(lease);
    } finally {
      clearInterval(timer);
      await lease.release();
    }
  }

  /**
   * Renews the lease. In a transaction of `runner`, also prevents other processes from taking it over until the
   * transaction ends.
   * @throws Error if another process has taken it over
   */
  async confirm(runner?: QueryRunner): Promise<void> {
    // now() would be too early if the transaction started long ago.
    const [, updated] = await this.source.query<[unknown, number]>(
      `UPDATE migration_lease SET expires_at = clock_timestamp() + ${LEASE_DURATION} WHERE id = $1`,
      [this.id],
      runner,
    );
    if (updated === 0)
      throw new Error('another process has taken over the migrations, because this process did not respond');
  }

  private async acquire(): Promise<void> {
    let logged: { by: string; at: number } | undefined;
    for (;;) {
      const other = await this.source.transaction((manager) => this.tryToAcquire(manager));
      if (!other) return;
      if (logged?.by !== other.holder || monotonicMs() - logged.at >= WAITING_LOG_MS) {
        logged = { by: other.holder, at: monotonicMs() };
        this.logger.info({ ...other }, 'waiting for another process to finish its migrations');
      }
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /** Acquires the lease unless another process holds it. @returns the other process, or undefined if acquired */
  private async tryToAcquire(manager: EntityManager): Promise<Holder | undefined> {
    const [state] = await manager.query<[{ isFree: boolean; hasTable: boolean }]>(
      `SELECT pg_try_advisory_xact_lock_shared($1) AS "isFree", to_regclass('migration_lease') IS NOT NULL AS "hasTable"`,
      [FIRST_VERSION_LOCK],
    );
    if (!state.isFree) return { holder: 'a process on version 0.1.0', since: null };
    if (!state.hasTable) {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [TABLE_LOCK]);
      await manager.query(CREATE_TABLE);
    }
    const [current] = await manager.query<(Holder & { isExpired: boolean })[]>(
      `SELECT holder, acquired_at AS since, expires_at <= clock_timestamp() AS "isExpired" FROM migration_lease FOR UPDATE`,
    );
    if (current && !current.isExpired) return { holder: current.holder, since: current.since };
    if (current) {
      this.logger.warn({ from: current.holder }, 'expired migration lease taken over');
      await manager.query('DELETE FROM migration_lease');
    }
    const inserted = await manager.query<object[]>(
      `INSERT INTO migration_lease (id, holder, expires_at) VALUES ($1, $2, clock_timestamp() + ${LEASE_DURATION})
       ON CONFLICT DO NOTHING RETURNING id`,
      [this.id, `${hostname()}, process ${process.pid}`],
    );
    // Another process may have inserted its row first.
    return inserted.length === 1 ? undefined : this.tryToAcquire(manager);
  }

  private async renew(): Promise<void> {
    try {
      await this.confirm();
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, 'migration lease not renewed');
    }
  }

  private async release(): Promise<void> {
    await this.source
      .query('DELETE FROM migration_lease WHERE id = $1', [this.id])
      .catch((error: unknown) =>
        this.logger.warn({ reason: errorMessage(error) }, 'migration lease not released'),
      );
  }
}
