// Raw SQL: upserts that count attempts, and a statement that releases one.
import type { Sql } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import { statement, type Statement } from '../sql/statements.js';
import { IS_EXPIRED, type LoginAllowance } from './login-allowance.js';

/** The limit on failed attempts. */
export interface AttemptLimit {
  /** Maximum number of failed attempts per window. Known client IPs have a separate allowance of the same size. */
  quota: number;
  /** The first window's length. It doubles for every `quota` consecutive failures. */
  windowSeconds: number;
  maxWindowSeconds: number;
}

/** Returns the values for the parameters $1 to $3 in a statement that counts an attempt. */
export const limitValues = ({ quota, windowSeconds, maxWindowSeconds }: AttemptLimit): number[] => [
  quota,
  windowSeconds,
  maxWindowSeconds,
];

const QUOTA = '$1::int';
const WINDOW_SECONDS = '$2::int';
const MAX_WINDOW_SECONDS = '$3::int';

const IS_WINDOW_OVER = 'a.window_ends_at <= now()';
const IS_OPEN = `(${IS_WINDOW_OVER} OR a.tries < ${QUOTA})`;

/** SQL for the consecutive failures in the row `a` that are still counted. */
const FAILURES = `(CASE WHEN ${IS_EXPIRED} THEN 0 ELSE a.failures END)`;

const isKnownSql = (isKnownAddress: string): string => `(a.known_tries < ${QUOTA} AND ${isKnownAddress})`;

/**
 * Returns SQL for the condition that an allowance in the row `a` grants the attempt.
 * @param isKnownAddress SQL from code, never from input
 */
export const isGrantedSql = (isKnownAddress: string): string =>
  `(${IS_OPEN} OR ${isKnownSql(isKnownAddress)})`;

/** Returns SQL for the window length after a number of failures. The length doubles for every quota of failures. */
const windowSecondsSql = (failures: string): string =>
  `least(${WINDOW_SECONDS} * power(2, least((${failures}) / ${QUOTA}, 20)), ${MAX_WINDOW_SECONDS})::int`;

/** An attempt to count. All strings are SQL from code. */
interface CountedAttempt {
  /** Key column values. */
  key: string;
  /** The `FROM` clause that provides the key. */
  from?: string;
  /** The condition that the client IP is known. */
  isKnownAddress?: string;
  /** Additional column values: `first` in a new row, `next` in an update of the row `a`. */
  columns?: Record<string, { first: string; next: string }>;
}

/** Counts failed attempts per key in one table. The tables differ only in their key and a few additional columns. */
export class AttemptCounter {
  private readonly releaseStatements: Record<LoginAllowance, Statement<unknown>>;
  private readonly clearStatement: Statement<unknown>;
  private readonly pruneBatch: ReturnType<typeof pruneStatement>;
  private readonly grantedColumn: string;

  /**
   * @param options `grantedColumn`: name of the column for the last attempt's allowance; `released`: SQL that updates
   * additional columns when an attempt is released
   */
  constructor(
    private readonly table: string,
    private readonly keyColumns: string[],
    { grantedColumn = 'granted', released = '' } = {},
  ) {
    this.grantedColumn = grantedColumn;
    const hasKey = keyColumns.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
    const release = (column: string, changes: string) =>
      statement(
        {},
        `UPDATE ${table} SET ${column} = ${column} - 1${changes}${released} WHERE ${hasKey} AND ${column} > 0`,
      );
    this.releaseStatements = {
      open: release('tries', ', failures = greatest(failures - 1, 0)'),
      known: release('known_tries', ''),
    };
    this.clearStatement = statement({}, `DELETE FROM ${table} WHERE ${hasKey}`);
    // A window ends at most a day after its last failure.
    this.pruneBatch = pruneStatement(
      table,
      `window_ends_at < now() - interval '89 days' AND failed_at < now() - interval '90 days'`,
    );
  }

  /**
   * Returns SQL that counts an attempt and returns the columns in `attemptResultRow`. The parameters $1 to $3 are
   * the `limitValues`. The statement locks the row, so concurrent attempts never exceed the quota of an allowance.
   * Attempts use the open allowance first. Only the open allowance determines the windows, so that they are the
   * same for every client IP.
   */
  countSql({ key, from = '', isKnownAddress = 'false', columns = {} }: CountedAttempt): string {
    const names = Object.keys(columns).map((name) => `, ${name}`);
    const first = Object.values(columns).map((column) => `, ${column.first}`);
    const next = Object.entries(columns).map(([name, column]) => `, ${name} = ${column.next}`);
    return `
      INSERT INTO ${this.table} AS a
        (${this.keyColumns.join()}, tries, window_ends_at, ${this.grantedColumn}, failures${names.join('')})
      SELECT ${key}, 1, now() + ${WINDOW_SECONDS} * interval '1 second', 'open', 1${first.join('')} ${from}
      ON CONFLICT (${this.keyColumns.join()}) DO UPDATE SET
        ${this.consumeSql(isKnownSql(isKnownAddress))}${next.join('')}
      RETURNING ${this.resultSql()}`;
  }

  /** Releases an attempt that did not fail, or whose password or code was not verified. */
  async release(sql: Sql, key: unknown[], granted: LoginAllowance): Promise<void> {
    await sql.execute(this.releaseStatements[granted], key);
  }

  /** Clears a key's count. */
  async clear(sql: Sql, key: unknown[]): Promise<void> {
    await sql.execute(this.clearStatement, key);
  }

  /** Removes failures that are no longer counted. */
  async prune(sql: Sql, signal: AbortSignal): Promise<void> {
    await pruneInBatches(sql, signal, this.pruneBatch);
  }

  private consumeSql(isKnown: string): string {
    return `
        tries = CASE WHEN ${IS_WINDOW_OVER} THEN 1 WHEN ${IS_OPEN} THEN a.tries + 1 ELSE a.tries END,
        known_tries = CASE WHEN ${IS_WINDOW_OVER} THEN 0 WHEN ${IS_OPEN} THEN a.known_tries
                           WHEN ${isKnown} THEN a.known_tries + 1 ELSE a.known_tries END,
        failures = ${FAILURES} + ${IS_OPEN}::int,
        failed_at = CASE WHEN ${IS_OPEN} OR ${isKnown} THEN now() ELSE a.failed_at END,
        ${this.grantedColumn} = CASE WHEN ${IS_OPEN} THEN 'open' WHEN ${isKnown} THEN 'known' END,
        window_ends_at = CASE WHEN ${IS_WINDOW_OVER} THEN now() + ${windowSecondsSql(FAILURES)} * interval '1 second'
                              ELSE a.window_ends_at END`;
  }

  /**
   * A transaction that started before the one that opened the window has an earlier `now()`, so the remaining seconds
   * are capped at the window length.
   */
  private resultSql(): string {
    const windowSeconds = windowSecondsSql('greatest(failures - tries, 0)');
    return `${this.grantedColumn} AS granted, tries AS attempts, ${windowSeconds} AS "windowSeconds",
        least(ceil(extract(epoch FROM window_ends_at - now())), ${windowSeconds})::int AS "secondsLeft"`;
  }
}
