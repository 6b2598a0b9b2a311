import type { Sql } from './database.js';
import { NIL_UUID } from './uuid-v7.js';
import { integer, statement, type RowOf, type Statement } from './statements.js';

/** Rows that one statement removes: few enough for its time-out, and for everybody who waits for one of them. */
const BATCH_SIZE = 5_000;

const removedRow = { removed: integer };

/**
 * Declares a statement that removes a batch of the rows of a table that meet a condition, for `pruneWith`.
 * @param table,condition SQL from code, never from input
 */
export const pruneStatement = (table: string, condition: string): Statement<RowOf<typeof removedRow>> =>
  statement(removedRow, pruneSql(table, condition));

/**
 * Removes rows, batch by batch, each in a statement of its own. Rows that another transaction has locked stay until the
 * next time. Ends early once `signal` is aborted.
 * @param values of the parameters of the condition
 */
export async function pruneWith(
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

/** Rows are locked before they are deleted, so that none can move away from its ctid in between. */
const pruneSql = (table: string, condition: string): string => `
  WITH gone AS (
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED
    )) RETURNING 1
  ) SELECT count(*)::int AS removed FROM gone`;

/**
 * Removes the rows of a table that meet a condition, batch by batch, each in a statement of its own. Rows that
 * somebody else holds are left to the next time. It ends early once `signal` is aborted.
 * @param table,condition SQL from code, never from input; `values` are the condition's parameters
 */
export async function prune(
  sql: Sql,
  signal: AbortSignal,
  table: string,
  condition: string,
  values: unknown[] = [],
): Promise<void> {
  const batch = pruneSql(table, condition);
  let removed = BATCH_SIZE;
  while (removed === BATCH_SIZE && !signal.aborted) {
    const [row] = await sql.queryPrepared<{ removed: number }>(batch, values);
    removed = row!.removed;
  }
}

/**
 * The same in the order of the ids, each row looked at once: for tables of which much stays, where every batch would
 * read what stays anew. The condition is about `t`.
 * @param before only rows with a lower id
 */
export async function pruneInIdOrder(
  sql: Sql,
  signal: AbortSignal,
  table: string,
  condition: string,
  before: string,
  values: unknown[] = [],
): Promise<void> {
  const batch = `WITH looked AS MATERIALIZED (
      SELECT id FROM ${table} WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${BATCH_SIZE}
    ), held AS MATERIALIZED (
      SELECT t.id FROM looked JOIN ${table} t ON t.id = looked.id WHERE ${condition} FOR UPDATE OF t SKIP LOCKED
    ), gone AS (
      DELETE FROM ${table} t USING held WHERE t.id = held.id
    ) SELECT id FROM looked ORDER BY id OFFSET ${BATCH_SIZE - 1}`;
  let last: string | undefined = NIL_UUID;
  while (last !== undefined && !signal.aborted) {
    const [row]: { id: string }[] = await sql.query<{ id: string }>(batch, [last, before, ...values]);
    last = row?.id;
  }
}
