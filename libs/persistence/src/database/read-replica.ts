// Raw SQL: positions in the write-ahead log.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { GatehouseError } from '@gatehouse/domain';
import { errorCode, errorMessage, monotonicMs, type Logger } from '@gatehouse/platform';
import { bigint, nullable, statement } from '../sql/statements.js';
import { poolOf, runStatement, type Sql } from './run-statement.js';

/** Pause between two checks, in ms. */
export const REPLICA_CHECK_INTERVAL_MS = 1_000;

/** Maximum lag in ms of a replica in use. */
const MAX_LAG_MS = 10_000;

/**
 * Maximum number of stored primary positions. Once it is reached, no more are stored until the replica has reached
 * one of them.
 */
const MAX_SAMPLES = 20;

/**
 * Error codes of queries that the replica canceled, because they conflicted with changes on the primary or took too
 * long.
 */
const canceledCodes = new Set(['40001', '57014']);

/** End of the primary's log, in bytes. */
const findEnd = statement(
  { position: bigint },
  `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS position`,
);

/** The position up to which a standby has replayed the log, in bytes. Null if the server is not a standby. */
const findReplayed = statement(
  { position: nullable(bigint) },
  `SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') END::bigint AS position`,
);

/**
 * A hot standby that serves reads (ADR 0061). It is used once it has replayed all changes from before the first
 * check, and while it is at most 10 s behind.
 */
export class ReadReplica {
  /** True while reads go to the replica; null until this is known. */
  isUsed: boolean | null = null;
  /** Upper bound of the replica lag, in ms. Null if it is unknown. */
  lagMs: number | null = null;
  private readonly sourceStorage = new AsyncLocalStorage<DataSource>();
  /** Positions of the primary, oldest first. Each includes all changes from before its time `at`. */
  private samples: { position: bigint; at: number }[] = [];

  constructor(
    private readonly primary: Sql,
    readonly source: DataSource,
    private readonly logger: Logger,
  ) {}

  /** The replica if the current work reads from it; otherwise undefined. */
  get currentSource(): DataSource | undefined {
    return this.sourceStorage.getStore();
  }

  /**
   * Runs `work`, which only reads, on the replica if it is in use. If this fails for any reason, such as an object that the
   * replica does not have yet, runs it again on the primary.
   */
  async read<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!this.isUsed) return work();
    try {
      return await this.sourceStorage.run(this.source, work);
    } catch (error) {
      this.handleFailedRead(error);
      return work();
    }
  }

  /** Compares the replica with the primary and decides whether it serves reads. Does not throw. */
  async check(): Promise<void> {
    try {
      this.lagMs = await this.measureLag();
      // Usually, the replica has reached the first position at the second check.
      if (this.lagMs === null && this.isUsed === null && this.samples.length < MAX_SAMPLES) return;
      this.use(this.lagMs !== null && this.lagMs <= MAX_LAG_MS, { lagMs: this.lagMs });
    } catch (error) {
      this.stop({ reason: errorMessage(error), code: errorCode(error) });
    }
  }

  private async measureLag(): Promise<number | null> {
    const at = monotonicMs();
    const [end] = await this.primary.execute(findEnd);
    if (this.samples.length < MAX_SAMPLES) this.samples.push({ position: BigInt(end!.position), at });
    if (!this.source.isInitialized) await this.source.initialize();
    const [replayed] = await runStatement(() => poolOf(this.source), [findReplayed]);
    const { position } = replayed!;
    if (position === null) throw new Error('the server is not a standby');
    const reached = this.samples.findLastIndex((sample) => sample.position <= BigInt(position));
    if (reached < 0) return null;
    this.samples = this.samples.slice(reached);
    return monotonicMs() - this.samples[0]!.at;
  }

  private handleFailedRead(error: unknown): void {
    const isRejected = error instanceof GatehouseError && error.code !== 'unavailable';
    if (isRejected) return;
    const cause = error instanceof GatehouseError ? (error.cause ?? error) : error;
    const fields = { reason: errorMessage(cause), code: errorCode(cause) };
    this.logger.warn(fields, 'read from the replica failed, repeated on the primary');
    if (!canceledCodes.has(fields.code)) this.stop(fields);
  }

  private stop(fields: object): void {
    this.samples = [];
    this.lagMs = null;
    this.use(false, fields);
  }

  private use(isUsed: boolean, fields: object): void {
    if (isUsed === this.isUsed) return;
    this.isUsed = isUsed;
    if (isUsed) this.logger.info(fields, 'reading from the replica');
    else this.logger.warn(fields, 'replica unusable, reading from the primary');
  }
}
