// Raw SQL: deletion in batches, with row locks.
import {
  dynamicStatement,
  integer,
  statement,
  uuid,
  type BoundStatement,
  type RowOf,
  type Statement,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import type { Sql } from './database.js';

/**
 * Number of rows that one statement removes. It keeps the statement within its timeout, and limits the delay for
 * transactions that wait for one of the rows.
 */
const BATCH_SIZE = 5_000;

const removedRow = { removed: integer };

/**
 * Declares a statement that removes a batch of table rows that meet a condition, for `pruneInBatches`.
 * @param table,condition SQL from code, never from input
 */
export const pruneStatement = (table: string, condition: string): Statement<RowOf<typeof removedRow>> =>
  statement(removedRow, pruneSql(table, condition));

/**
 * Removes rows in batches, with one statement per batch. Rows that another transaction has locked remain until the
 * next run. Ends early once `signal` is aborted.
 * @param values values for the condition's parameters
 */
export async function pruneInBatches(
  sql: Sql,
  signal: AbortSignal,
  batch: Statement<RowOf<typeof removedRow>>,
  values: unknown[] = [],
): Promise<void> {
  let removed = BATCH_SIZE;
  while (removed === BATCH_SIZE && !signal.aborted) {
    const [row] = await sql.execute(batch, values);
    removed = row!.removed;
  }
}

/**
 * Returns SQL that removes a batch. Locks the rows before it deletes them, so that their ctid cannot change in
 * between.
 */
const pruneSql = (table: string, condition: string): string => `
  WITH deleted AS (
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED
    )) RETURNING 1
  ) SELECT count(*)::int AS removed FROM deleted`;

/** The rows that `pruneInIdOrder` scans. */
export interface PruneRange {
  /** Scans one partition instead of the complete table. SQL from code, never from input. */
  partition?: string;
  /** Scans only rows with a lower id. */
  before: string;
}

/** A full batch's last id. */
const lastScannedRow = { id: uuid };

type OrderedPruneStatement = (
  range: PruneRange,
  after: string,
  values: unknown[],
) => BoundStatement<RowOf<typeof lastScannedRow>>;

/**
 * Declares a statement that removes rows from a table in id order, for `pruneInIdOrder`.
 * @param table,condition SQL from code, never from input. The condition refers to `t`, and its parameters begin with
 * $3.
 */
export const orderedPruneStatement = (table: string, condition: string): OrderedPruneStatement =>
  dynamicStatement(
    lastScannedRow,
    ({ partition = table, before }: PruneRange, after: string, values: unknown[]) => ({
      text: `
        WITH scanned AS MATERIALIZED (
          SELECT id FROM ${partition} WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${BATCH_SIZE}
        ), locked AS MATERIALIZED (
          SELECT t.id FROM scanned JOIN ${partition} t ON t.id = scanned.id WHERE ${condition} FOR UPDATE OF t SKIP LOCKED
        ), deleted AS (
          DELETE FROM ${partition} t USING locked WHERE t.id = locked.id
        ) SELECT id FROM scanned ORDER BY id OFFSET ${BATCH_SIZE - 1}`,
      values: [after, before, ...values],
    }),
    [[{ before: NIL_UUID }, NIL_UUID, []]],
  );

/**
 * Removes rows in batches, in id order, and scans each row once. Use it for tables where most rows remain: every batch
 * of `pruneInBatches` would read those rows again. Ends early once `signal` is aborted.
 * @param values values for the condition's parameters
 */
export async function pruneInIdOrder(
  sql: Sql,
  signal: AbortSignal,
  batch: OrderedPruneStatement,
  range: PruneRange,
  values: unknown[] = [],
): Promise<void> {
  let last: string | undefined = NIL_UUID;
  while (last !== undefined && !signal.aborted) {
    const [row]: { id: string }[] = await sql.execute(batch(range, last, values));
    last = row?.id;
  }
}
