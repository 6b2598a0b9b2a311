import type { Conditions } from '../sql/conditions.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { isSortedByText, searchedTexts, type CustomerFilter, type SearchedText } from './customer-filter.js';
import { lockRanges } from './customer-lock-sql.js';
import { unknownToPlanner } from '../sql/unknown-to-planner.js';

/** A position between two customers in a list. */
export interface CustomerPosition {
  /** The sort key: a time in ISO 8601, or the matching string. */
  key: string;
  id: string;
}

/**
 * SQL condition that allows a statement to use the installation-wide indexes. It is true for every customer. The
 * indexes are partial and require it, because PostgreSQL would otherwise also scan them for an organization that has
 * nearly all customers, even if many customers of other organizations come first.
 */
export const anyCustomerCondition = `c.id <> '${NIL_UUID}'`;

/** An index's first column. Null for an installation-wide index. */
type ScopeColumn = 'project_id' | 'organization_id' | null;

/** A scan's scope: projects, organizations or the installation. */
export interface ScanScope {
  column: ScopeColumn;
  /** For the installation, contains one placeholder id, which is not compared with any column. */
  ids: string[];
}

/**
 * Maximum number of scopes that are inlined in the statement. With inlined ids, PostgreSQL can estimate the number of
 * customers per scope. For a small scope, it reads and sorts all of them.
 */
export const MAX_INLINED_SCOPES = 8;

/**
 * The rows that a list reads: all customers, or only `found`, the customers that the trigram index has found. The
 * ranges and the order are the same for both.
 */
export type RowSource = 'customers' | 'found';

/** A range in one index. */
interface IndexRange {
  /** SQL for the source of the customers `c`, if it is not the customers table. */
  from?: string;
  /** SQL for the sort key. */
  key: string;
  condition: string;
  /** ORDER BY of the index. */
  orderBy: string;
}

/** The scan for a list: index ranges, merged in one order. */
interface IndexScan {
  ranges: IndexRange[];
  /** ORDER BY of the merged ranges. */
  orderBy: string;
  /** True for a search by a unique value. */
  isExact?: boolean;
}

/** Returns the SQL condition for the customers in a scope. The id defaults to `scope.id`. */
const scopeCondition = (column: ScopeColumn, id = (): string => 'scope.id'): string =>
  column === null ? anyCustomerCondition : `c.${column} = ${id()}`;

/** Returns SQL for the next rows in a range. @param scope SQL condition for the customers in the scope */
const rangeSql = (
  { from, key, condition, orderBy }: IndexRange,
  source: RowSource,
  scope: string,
  limit: string,
): string =>
  `SELECT ${key} AS key, c.* FROM ${from ?? `${source} c`} WHERE ${scope} AND ${condition} ORDER BY ${orderBy} LIMIT ${limit}`;

/** Returns SQL for the next rows in each range of a scan, across all scopes, unsorted. */
export function rangesSql(
  where: Conditions,
  { column, ids }: ScanScope,
  { ranges }: IndexScan,
  source: RowSource,
  limit: string,
): string[] {
  const scopes = `unnest(${where.bind(ids)}::uuid[]) scope (id)`;
  return ranges.map((range) => {
    const rows = rangeSql(range, source, scopeCondition(column), limit);
    return `SELECT c.* FROM ${scopes} CROSS JOIN LATERAL (${rows}) c LIMIT ${limit}`;
  });
}

/** Returns SQL for the next rows of a scan, in its order. */
export function mergedRangesSql(
  where: Conditions,
  { column, ids }: ScanScope,
  { ranges, orderBy, isExact }: IndexScan,
  source: RowSource,
  limit: string,
): string {
  const merge = (scopes: string[]): string => {
    const parts = scopes.flatMap((scope) =>
      ranges.map((range) => `(${rangeSql(range, source, scope, limit)})`),
    );
    return `SELECT * FROM (${parts.join(' UNION ALL ')}) c ORDER BY ${orderBy} LIMIT ${limit}`;
  };
  if (ids.length <= MAX_INLINED_SCOPES) {
    const bind = (id: string): string => (isExact ? unknownToPlanner(where.bind(id)) : where.bind(id));
    return merge(ids.map((id) => scopeCondition(column, () => bind(id))));
  }
  return `
    SELECT c.* FROM unnest(${where.bind(ids)}::uuid[]) scope (id)
      CROSS JOIN LATERAL (${merge([scopeCondition(column)])}) c
    ORDER BY ${orderBy} LIMIT ${limit}`;
}

/** Chooses the index that leaves the fewest rows to scan. */
export function chooseIndexScan(
  where: Conditions,
  scope: ScanScope,
  filter: CustomerFilter,
  after: CustomerPosition | null,
): IndexScan {
  const { email, externalId, q, createdAfter, createdBefore, lastLoginAfter, lastLoginBefore } = filter;
  const createTimeScan = (
    column: string,
    from: Date | null,
    to: Date | null,
    conditions: string[],
  ): IndexScan => {
    const timeConditions = timeRange(where, column, { from, to, after });
    const ranges = conditions.map((condition) => ({
      key: `c.${column}`,
      condition: [condition, ...timeConditions].join(' AND '),
      orderBy: `c.${column} DESC, c.id DESC`,
    }));
    return { ranges, orderBy: 'c.key DESC, c.id DESC' };
  };
  if (filter.locked) return lockScan(where, scope, after);
  if (q !== null && isSortedByText(filter)) return textScan(where, scope.column, q, after);
  if (email !== null) {
    const searched = scope.column === 'project_id' ? 'c.email' : searchedTexts.email.text;
    const condition = `${searched} = ${where.bind(email)}`;
    return { ...createTimeScan('created_at', createdAfter, createdBefore, [condition]), isExact: true };
  }
  if (externalId !== null) {
    const condition = `c.external_id = ${where.bind(externalId)}`;
    return { ...createTimeScan('created_at', createdAfter, createdBefore, [condition]), isExact: true };
  }
  if (lastLoginAfter ?? lastLoginBefore) {
    return createTimeScan('last_login_at', lastLoginAfter, lastLoginBefore, ['c.last_login_at IS NOT NULL']);
  }
  const verified = [true, false].filter((flag) => flag === (filter.emailVerified ?? flag));
  const disabled = [true, false].filter((flag) => flag === (filter.disabled ?? flag));
  const flags = verified.flatMap((isVerified) =>
    disabled.map(
      (isDisabled) =>
        `c.email_verified = ${isVerified} AND (c.disabled_at IS NOT NULL)::int = ${Number(isDisabled)}`,
    ),
  );
  return createTimeScan('created_at', createdAfter, createdBefore, flags);
}

/**
 * Returns the index ranges for locked customers in the installation. Each range includes the scope condition, so a
 * page and its position never depend on customers outside the scope. This is cheap, because few customers are locked
 * at the same time.
 */
function lockScan(where: Conditions, { column, ids }: ScanScope, after: CustomerPosition | null): IndexScan {
  const isWithin = column === null ? 'true' : `c.${column} = ANY (${where.bind(ids)}::uuid[])`;
  const position =
    after &&
    ` AND (a.window_ends_at, a.customer_id) < (${where.bind(new Date(after.key))}::timestamptz, ${where.bind(after.id)}::uuid)`;
  const ranges = lockRanges.map(({ table, condition }) => ({
    from: `${table} a JOIN customers c ON c.id = a.customer_id`,
    key: 'a.window_ends_at',
    condition: `${isWithin} AND ${condition}${position ?? ''}`,
    orderBy: 'a.window_ends_at DESC, a.customer_id DESC',
  }));
  return { ranges, orderBy: 'c.key DESC, c.id DESC' };
}

/**
 * Returns at most one lower and one upper bound. With two upper bounds, the index scan would start at the wider one.
 */
function timeRange(
  where: Conditions,
  column: string,
  { from, to, after }: { from: Date | null; to: Date | null; after: CustomerPosition | null },
): string[] {
  const start = after && { time: new Date(after.key), id: after.id };
  const before = to && { time: to, id: NIL_UUID };
  const end = start && before ? (start.time < before.time ? start : before) : (start ?? before);
  return [
    ...(from ? [`c.${column} > ${where.bind(from)}`] : []),
    ...(end
      ? [`(c.${column}, c.id) < (${where.bind(end.time)}::timestamptz, ${where.bind(end.id)}::uuid)`]
      : []),
  ];
}

/**
 * Returns the index ranges for a string prefix. In byte order, all strings with the prefix are one range in each
 * index.
 */
function textScan(
  where: Conditions,
  scope: ScopeColumn,
  q: string,
  after: CustomerPosition | null,
): IndexScan {
  const prefix = `lower(${where.bind(q)})`;
  const start = `coalesce(${where.bind(after?.key ?? null)}, ${prefix})`;
  const id = `${where.bind(after?.id ?? NIL_UUID)}::uuid`;
  const end = `(${prefix} || chr(1114111))`;
  const createRange = (key: string, condition: string, orderBy: string): IndexRange => {
    return { key, condition: `${condition} AND (${key}, c.id) > (${start}, ${id})`, orderBy };
  };
  const createByteOrderRange = ({ text, condition }: SearchedText): IndexRange =>
    createRange(text, `${condition} AND ${text} < ${end}`, `${text}, c.id`);
  const { email, fullName, lastName } = searchedTexts;
  // The project's unique index has the same order, but serves only the operators `~>=~` and `~<~`.
  const emailRange =
    scope === 'project_id'
      ? createRange(email.text, `c.email ~>=~ ${start} AND c.email ~<~ ${end}`, 'c.email USING ~<~, c.id')
      : createByteOrderRange(email);
  return {
    ranges: [emailRange, createByteOrderRange(fullName), createByteOrderRange(lastName)],
    orderBy: 'c.key COLLATE "C", c.id',
  };
}
