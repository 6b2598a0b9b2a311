import type { Reach } from '@gatehouse/domain';
import { capped, type CappedCount } from '../capped-count.js';
import type { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import { lowestIdSql } from '../id-times.js';
import type { WalkedPage } from '../walked-page.js';
import { attemptColumns, type AttemptRecord } from './attempt-record.js';
import type { AttemptFilter } from './attempt-scope.js';
import { matchAttempts } from './attempt-walk.js';
import type { Source } from './few-deliveries.js';

/** What a filter matches where few deliveries have it. */
type FewSource = Source & { deliveries: (where: Conditions) => string };

export const isFew = (source: Source): source is FewSource => source.deliveries !== null;

/** Up to `limit` attempts of few deliveries, newest first. @param before the last id of the page before */
export async function attemptsOfFew(
  database: Database,
  reach: Reach,
  source: FewSource,
  before: string | null,
  limit: number,
): Promise<WalkedPage<AttemptRecord>> {
  const where = matches(reach, source.filter).addIf(before, (value) => `a.id < ${value}`);
  const found = await database.query<AttemptRecord>(
    `WITH ${lives(where, source)}
     SELECT ${attemptColumns} FROM ${attemptsOfLives} WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${where.value(limit + 1)}`,
    where.values,
  );
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? items.at(-1)!.id : null };
}

/** How many there are. */
export async function countOfFew(database: Database, reach: Reach, source: FewSource): Promise<CappedCount> {
  const where = matches(reach, source.filter);
  const [counted] = await database.query<{ count: number }>(
    `WITH ${lives(where, source)} SELECT count(*)::int AS count FROM ${attemptsOfLives} WHERE ${where.sql}`,
    where.values,
  );
  return capped(counted!.count);
}

const matches = (reach: Reach, filter: AttemptFilter): Conditions =>
  matchAttempts({ column: 'delivery_id' }, reach, filter).reach('d', 'd.project_id', reach);

/** SQL for the deliveries with the range of ids that their attempts can have. */
const lives = (where: Conditions, { deliveries }: FewSource): string => `
  lives AS MATERIALIZED (
    SELECT d.*, ${lowestIdSql(`d.created_at - interval '1 hour'`)} AS first,
      ${lowestIdSql(`coalesce(d.finished_at, now()) + interval '1 hour'`)} AS past
    FROM (${deliveries(where)}) d
  )`;

/** SQL for the attempts, `a`, of each of them, which are few and found where its life was. */
const attemptsOfLives = `
  lives d CROSS JOIN LATERAL (
    SELECT a.* FROM attempts a WHERE a.delivery_id = d.id AND a.id >= d.first AND a.id < d.past OFFSET 0
  ) a`;
