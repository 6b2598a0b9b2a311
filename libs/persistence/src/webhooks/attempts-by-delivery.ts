// Raw SQL: joins with filters and access scope conditions.
import type { AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { capCount, type CappedCount } from '../lists/capped-count.js';
import type { ScannedPage } from '../lists/scanned-page.js';
import { sampleAccessScopes, type Conditions } from '../sql/conditions.js';
import { dynamicStatement, integer } from '../sql/statements.js';
import { minIdAtSql, NIL_UUID } from '../sql/uuid-v7.js';
import { attemptColumns, attemptRow, type AttemptRecord } from './attempt-record.js';
import { attemptConditions } from './attempt-scan.js';
import type { AttemptFilter } from './attempt-scope.js';
import { sampleDeliverySources, type AttemptSource } from './attempt-source.js';

/** A source with few deliveries. */
type DeliveryListSource = AttemptSource & { deliveries: (where: Conditions) => string };

/** Returns whether a source has few deliveries. */
export const isDeliveryListSource = (source: AttemptSource): source is DeliveryListSource =>
  source.deliveries !== null;

const matchConditions = (accessScope: AccessScope, filter: AttemptFilter): Conditions =>
  attemptConditions({ column: 'delivery_id' }, accessScope, filter).addAccessScope(
    'd',
    'd.project_id',
    accessScope,
  );

/** Returns a CTE with the deliveries and their attempt id ranges. */
const deliveriesWithIdRange = (where: Conditions, { deliveries }: DeliveryListSource): string => `
  delivery_ranges AS MATERIALIZED (
    SELECT d.*, ${minIdAtSql(`d.created_at - interval '1 hour'`)} AS first,
      ${minIdAtSql(`coalesce(d.finished_at, now()) + interval '1 hour'`)} AS past
    FROM (${deliveries(where)}) d
  )`;

/** FROM item for these deliveries' attempts `a`, which are found through the id range. */
const attemptsInIdRange = `
  delivery_ranges d CROSS JOIN LATERAL (
    SELECT a.* FROM attempts a WHERE a.delivery_id = d.id AND a.id >= d.first AND a.id < d.past OFFSET 0
  ) a`;

const sampleCalls = sampleAccessScopes.flatMap((accessScope) =>
  sampleDeliverySources.map((source) => [accessScope, source] as const),
);

const listAttempts = dynamicStatement(
  attemptRow,
  (accessScope: AccessScope, source: DeliveryListSource, before: string | null, limit: number) => {
    const where = matchConditions(accessScope, source.filter).addIf(before, (value) => `a.id < ${value}`);
    const sql = `
      WITH ${deliveriesWithIdRange(where, source)}
      SELECT ${attemptColumns} FROM ${attemptsInIdRange} WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleCalls.map((call) => [...call, NIL_UUID, 1] as const),
);

const countAttempts = dynamicStatement(
  { count: integer },
  (accessScope: AccessScope, source: DeliveryListSource) => {
    const where = matchConditions(accessScope, source.filter);
    const sql = `
      WITH ${deliveriesWithIdRange(where, source)}
      SELECT count(*)::int AS count FROM ${attemptsInIdRange} WHERE ${where.sql}`;
    return { text: sql, values: where.values };
  },
  sampleCalls,
);

/**
 * Returns up to `limit` attempts of a few deliveries, newest first.
 * @param before the previous page's last id
 */
export async function listAttemptsByDelivery(
  database: Database,
  accessScope: AccessScope,
  source: DeliveryListSource,
  before: string | null,
  limit: number,
): Promise<ScannedPage<AttemptRecord>> {
  const found = await database.execute(listAttempts(accessScope, source, before, limit + 1));
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? items.at(-1)!.id : null };
}

/** Counts the attempts of a few deliveries. */
export async function countAttemptsByDelivery(
  database: Database,
  accessScope: AccessScope,
  source: DeliveryListSource,
): Promise<CappedCount> {
  const [counted] = await database.execute(countAttempts(accessScope, source));
  return capCount(counted!.count);
}
