import type { Sql } from './database.js';

/** Rows that one statement removes: few enough for its time-out, and for everybody who waits for one of them. */
const BATCH = 5_000;

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
  // The rows are held before they are deleted, so none can move away from its ctid in between.
  const statement = `WITH gone AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      )) RETURNING 1
    ) SELECT count(*)::int AS removed FROM gone`;
  let removed = BATCH;
  while (removed === BATCH && !signal.aborted) {
    const [row] = await sql.prepared<{ removed: number }>(statement, values);
    removed = row!.removed;
  }
}
