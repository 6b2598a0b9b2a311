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

/** What a filter matches where few deliveries have it. */
type DeliveryListSource = AttemptSource & { deliveries: (where: Conditions) => string };

export const isDeliveryListSource = (source: AttemptSource): source is DeliveryListSource =>
  source.deliveries !== null;

/** Up to `limit` attempts of few deliveries, newest first. @param before the last id of the page before */
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

/** How many there are. */
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

/** SQL for the deliveries with the range of ids that their attempts can have. */
const deliveriesWithIdRange = (where: Conditions, { deliveries }: DeliveryListSource): string => `
  lives AS MATERIALIZED (
    SELECT d.*, ${minIdAtSql(`d.created_at - interval '1 hour'`)} AS first,
      ${minIdAtSql(`coalesce(d.finished_at, now()) + interval '1 hour'`)} AS past
    FROM (${deliveries(where)}) d
  )`;

/** SQL for the attempts, `a`, of each of them, which are few and found where its life was. */
const attemptsInIdRange = `
  lives d CROSS JOIN LATERAL (
    SELECT a.* FROM attempts a WHERE a.delivery_id = d.id AND a.id >= d.first AND a.id < d.past OFFSET 0
  ) a`;
