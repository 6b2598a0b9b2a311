import type { Reach } from '@gatehouse/domain';
import { capCount, type CappedCount } from '../capped-count.js';
import type { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import { minIdAtSql } from '../uuid-v7.js';
import type { ScannedPage } from '../scanned-page.js';
import { attemptColumns, type AttemptRecord } from './attempt-record.js';
import type { AttemptFilter } from './attempt-scope.js';
import { attemptConditions } from './attempt-scan.js';
import type { AttemptSource } from './attempt-source.js';

/** A source with few deliveries. */
type DeliveryListSource = AttemptSource & { deliveries: (where: Conditions) => string };

export const isDeliveryListSource = (source: AttemptSource): source is DeliveryListSource =>
  source.deliveries !== null;

/**
 * Returns up to `limit` attempts of few deliveries, newest first.
 * @param before last id of the previous page
 */
export async function listAttemptsByDelivery(
  database: Database,
  reach: Reach,
  source: DeliveryListSource,
  before: string | null,
  limit: number,
): Promise<ScannedPage<AttemptRecord>> {
  const where = matchConditions(reach, source.filter).addIf(before, (value) => `a.id < ${value}`);
  const found = await database.query<AttemptRecord>(
    `WITH ${deliveriesWithIdRange(where, source)}
     SELECT ${attemptColumns} FROM ${attemptsInIdRange} WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${where.bind(limit + 1)}`,
    where.values,
  );
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? items.at(-1)!.id : null };
}

/** Counts the attempts of few deliveries. */
export async function countAttemptsByDelivery(
  database: Database,
  reach: Reach,
  source: DeliveryListSource,
): Promise<CappedCount> {
  const where = matchConditions(reach, source.filter);
  const [counted] = await database.query<{ count: number }>(
    `WITH ${deliveriesWithIdRange(where, source)} SELECT count(*)::int AS count FROM ${attemptsInIdRange} WHERE ${where.sql}`,
    where.values,
  );
  return capCount(counted!.count);
}

const matchConditions = (reach: Reach, filter: AttemptFilter): Conditions =>
  attemptConditions({ column: 'delivery_id' }, reach, filter).addReach('d', 'd.project_id', reach);

/** Returns SQL for the deliveries with the range of ids that their attempts can have. */
const deliveriesWithIdRange = (where: Conditions, { deliveries }: DeliveryListSource): string => `
  delivery_ranges AS MATERIALIZED (
    SELECT d.*, ${minIdAtSql(`d.created_at - interval '1 hour'`)} AS first,
      ${minIdAtSql(`coalesce(d.finished_at, now()) + interval '1 hour'`)} AS past
    FROM (${deliveries(where)}) d
  )`;

/** SQL for the attempts, `a`, of each of these deliveries. They are few and are found by the range of ids. */
const attemptsInIdRange = `
  delivery_ranges d CROSS JOIN LATERAL (
    SELECT a.* FROM attempts a WHERE a.delivery_id = d.id AND a.id >= d.first AND a.id < d.past OFFSET 0
  ) a`;
