import type { Reach } from '@gatehouse/domain';
import { countWithin, MOST_COUNTED, MOST_LOOKED, type CappedCount } from '../capped-count.js';
import type { Database } from '../database.js';
import { lowestId, timeOfId } from '../id-times.js';
import { DAY_MS } from './attempt-partitions.js';
import { attemptColumns, type AttemptRecord } from './attempt-record.js';
import { attemptScope, idsOf, type AttemptFilter, type AttemptScope } from './attempt-scope.js';
import { hasFailed, matchAttempts, walkAttempts } from './attempt-walk.js';
import { attemptsOfFew, countOfFew, isFew } from './attempts-of-few.js';
import { lookAlong, matchesOf, type WalkedPage, type WalkedRow } from '../walked-page.js';
import type { DeliverySummary } from './deliveries.repository.js';
import { sourceOf } from './few-deliveries.js';

export type { AttemptRecord } from './attempt-record.js';
export type { AttemptFilter } from './attempt-scope.js';

interface Look {
  found: AttemptRecord[];
  walkedTo: string | null;
}

/** Attempts that a page looks at when few of the first ones match; the next page goes on from there. */
const SCANNED_ROWS = 1_000;

/** So much of the log a page is looked for in at first, and then; each day is a partition, and costs planning. */
const SPANS_MS = [2 * DAY_MS, 8 * DAY_MS];

/** The log of attempts, also of millions: however many there are, and whatever the filter, a page looks at few. */
export class AttemptsRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` closed attempts within a reach, newest first. @param before the last id of the page before */
  async page(
    reach: Reach,
    asked: AttemptFilter,
    before: string | null,
    limit: number,
  ): Promise<WalkedPage<AttemptRecord>> {
    const source = await sourceOf(this.database, asked);
    if (isFew(source)) return attemptsOfFew(this.database, reach, source, before, limit);
    const { filter } = source;
    const scope = await attemptScope(this.database, reach, filter);
    const items: AttemptRecord[] = [];
    const windows = [limit + 1, Math.max(limit + 1, Math.ceil(SCANNED_ROWS / scope.ids.length))];
    const spans = [...SPANS_MS, Infinity];
    let to = before !== null && before < scope.to ? before : scope.to;
    while (spans.length > 0 && scope.from < to) {
      const from = startOf(scope, to, spans[0]!);
      const look = { window: windows[0]!, limit };
      const { found, walkedTo } = await this.look({ ...scope, from, to }, reach, filter, look);
      items.push(...found);
      if (items.length > limit) {
        const page = items.slice(0, limit);
        return { items: page, next: page.at(-1)!.id };
      }
      to = walkedTo ?? from;
      if (walkedTo === null) spans.shift();
      else if (windows.length === 1) return { items, next: walkedTo };
      else windows.shift();
    }
    return { items, next: null };
  }

  /** How many attempts within a reach match, as far as a bounded look finds out. */
  async count(reach: Reach, asked: AttemptFilter): Promise<CappedCount> {
    const source = await sourceOf(this.database, asked);
    if (isFew(source)) return countOfFew(this.database, reach, source);
    const { filter } = source;
    const scope = await attemptScope(this.database, reach, filter);
    if (scope.ids.length === 0 || scope.from >= scope.to) return { count: 0, isMore: false };
    // By sub-selects, for a join could be made by reading all deliveries.
    const delivery = (column: string) => `(SELECT d.${column} FROM deliveries d WHERE d.id = a.delivery_id)`;
    const where = matchAttempts(scope, reach, filter, delivery);
    const window = where.values.length === 0 ? MOST_COUNTED + 1 : MOST_LOOKED;
    const isMatch = `${where.sql} AND ${delivery('id')} IS NOT NULL`;
    const rows = `(${walkAttempts(where, scope, hasFailed(filter), window, false)}) a`;
    return countWithin(this.database, { rows, isMatch, values: where.values }, window);
  }

  /** The attempts of a delivery whose reach has been checked, oldest first. */
  async ofDelivery(
    delivery: Pick<DeliverySummary, 'id' | 'createdAt' | 'finishedAt'>,
  ): Promise<AttemptRecord[]> {
    const { from, to } = idsOf(delivery);
    return this.database.query<AttemptRecord>(
      `SELECT ${attemptColumns} FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
       WHERE a.delivery_id = $1 AND a.id >= $2 AND a.id < $3 ORDER BY a.id`,
      [delivery.id, from, to],
    );
  }

  /** The matches among the next `window` attempts of a scope, and the last of these if there are so many. */
  private async look(
    scope: AttemptScope,
    reach: Reach,
    filter: AttemptFilter,
    { window, limit }: { window: number; limit: number },
  ): Promise<Look> {
    if (scope.ids.length === 0) return { found: [], walkedTo: null };
    const where = matchAttempts(scope, reach, filter);
    const page = `
      SELECT ${attemptColumns} FROM walked a JOIN deliveries d ON d.id = a.delivery_id
      WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${where.value(limit + 1)}`;
    const walk = walkAttempts(where, scope, hasFailed(filter), window);
    const rows = await this.database.query<WalkedRow<AttemptRecord>>(
      lookAlong(where, walk, page, window),
      where.values,
    );
    return {
      found: matchesOf(rows),
      walkedTo: rows[0]!.walkedTo,
    };
  }
}

/** The first id of what is looked at in one go. */
function startOf(scope: AttemptScope, to: string, span: number): string {
  const start = lowestId(timeOfId(to) - span);
  return start > scope.from ? start : scope.from;
}
