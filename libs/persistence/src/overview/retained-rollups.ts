// Raw SQL: deletion in batches.
import { bucketSpans } from '@gatehouse/domain';
import { now } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import { startOfDay } from '../webhooks/attempt-partitions.js';

/** A bucket length in seconds, and the time from which its buckets are retained. */
export interface RetainedSpan {
  span: number;
  since: Date;
}

/** Returns the start of the log and its rollups in ms since 1970. Dead letters are retained longer but not counted. */
export const logStartTime = (retentionMs: number): number => startOfDay(now().getTime() - retentionMs);

/** Returns the retained buckets for each length. @param retentionMs log retention in ms */
export function retainedSpans(retentionMs: number): RetainedSpan[] {
  const begin = logStartTime(retentionMs);
  return bucketSpans.map(({ span, retention }) => ({
    span,
    since: new Date(Math.max(begin, now().getTime() - retention * 1_000)),
  }));
}

const pruneStatements = [
  'attempt_figures',
  'attempt_figures_by_event',
  'attempt_figures_by_endpoint',
  'identity_rollups',
].map((table) => pruneStatement(table, 'span = $1 AND at < $2'));

/** Removes rollups after their retention. */
export async function pruneRollups(
  database: Database,
  retentionMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (const { span, since } of retainedSpans(retentionMs))
    for (const batch of pruneStatements) await pruneInBatches(database, signal, batch, [span, since]);
}
