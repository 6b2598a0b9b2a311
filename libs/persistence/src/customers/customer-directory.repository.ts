import type { Customer, Reach } from '@gatehouse/domain';
import { capScanCount, COUNT_SCAN_LIMIT, type CappedCount, type ScanCount } from '../capped-count.js';
import { Conditions, organizationsWithin } from '../conditions.js';
import type { Database } from '../database.js';
import { NIL_UUID } from '../uuid-v7.js';
import { customerColumns } from './customers.repository.js';

export interface CustomerFilter {
  projectId: string | null;
  email: string | null;
  externalId: string | null;
  /** Prefix of an email, a first name, a last name, or both names separated by a space; case-insensitive. */
  q: string | null;
  emailVerified: boolean | null;
  disabled: boolean | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  lastLoginAfter: Date | null;
  lastLoginBefore: Date | null;
}

/** A filter that matches every customer. */
export const emptyCustomerFilter: CustomerFilter = {
  projectId: null,
  email: null,
  externalId: null,
  q: null,
  emailVerified: null,
  disabled: null,
  createdAfter: null,
  createdBefore: null,
  lastLoginAfter: null,
  lastLoginBefore: null,
};

/** A position between two customers of a list. */
export interface CustomerPosition {
  /** The sort key: a time in ISO 8601, or the matching text. */
  key: string;
  id: string;
}

export interface CustomerPage {
  customers: Customer[];
  /**
   * Null at the end of the list. Otherwise the page may contain fewer customers than requested, even none.
   */
  next: CustomerPosition | null;
}

type Row = Customer & { key: Date | string; isMatch: boolean; isLast: boolean };

/** Maximum number of rows that a page scans if few of them match. The next page continues from there. */
const PAGE_SCAN_LIMIT = 1_000;

const emailBytes = '(c.email COLLATE "C")';
const fullName = `(lower(coalesce(c.first_name || ' ', '') || coalesce(c.last_name, '')) COLLATE "C")`;
const lastName = `(lower(c.last_name) COLLATE "C")`;
const hasName = '(c.first_name IS NOT NULL OR c.last_name IS NOT NULL)';
const hasBothNames = 'c.first_name IS NOT NULL AND c.last_name IS NOT NULL';

/**
 * SQL condition that allows a statement to use the indexes of the complete installation. Every customer meets
 * it. Without this condition PostgreSQL would also scan these indexes for an organization with nearly all
 * customers, however many customers of other organizations come first.
 */
export const anyCustomerCondition = `c.id <> '${NIL_UUID}'`;

/** The first column of an index; null for an index of the complete installation. */
type ScopeColumn = 'project_id' | 'organization_id' | null;

interface ScanScope {
  column: ScopeColumn;
  /** Contains one id for the complete installation too, which is compared with nothing. */
  ids: string[];
}

/**
 * Maximum number of scopes that are inlined in the statement. With inlined ids PostgreSQL knows how many
 * customers each scope has: for a scope with few it reads and sorts all of them.
 */
const MAX_INLINED_SCOPES = 8;

/** A range of one index. */
interface IndexRange {
  key: string;
  range: string;
  /** ORDER BY of the index. */
  by: string;
}

/** The scan of a list: index ranges that are merged in one order. */
interface IndexScan {
  ranges: IndexRange[];
  order: string;
}

/**
 * The lists of customers, for up to a million customers. Every list is an index scan that starts at the
 * page's position and reads a bounded number of rows, whatever the filter is.
 * `npm run bench -- customers --plans` prints the query plans.
 */
export class CustomerDirectoryRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` customers after a position: newest first; with a filter on the last login, latest
   * login first; with `q`, in the order of the matching text.
   */
  async listPage(
    reach: Reach,
    filter: CustomerFilter,
    after: CustomerPosition | null,
    limit: number,
  ): Promise<CustomerPage> {
    const scopes = await this.resolveScope(reach, filter.projectId);
    const found: Row[] = [];
    let next = after;
    for (const window of [limit + 1, 4 * (limit + 1), PAGE_SCAN_LIMIT]) {
      const rows = await this.scan(scopes, filter, next, window);
      found.push(...rows.filter(({ isMatch, id }, index) => isMatch && id !== rows[index - 1]?.id));
      if (found.length > limit) break;
      const last = rows.at(-1);
      if (!last?.isLast) return { customers: found, next: null };
      next = toPosition(last);
    }
    const customers = found.slice(0, limit);
    return { customers, next: found.length > limit ? toPosition(customers.at(-1)!) : next };
  }

  /** Counts the matching customers within a reach in a bounded scan. */
  async count(reach: Reach, filter: CustomerFilter): Promise<CappedCount> {
    const { column, ids } = await this.resolveScope(reach, filter.projectId);
    const where = new Conditions();
    const scopes = `${where.bind(ids)}::uuid[]`;
    const { ranges } = chooseIndexScan(where, column, filter, null);
    const window = Math.ceil(COUNT_SCAN_LIMIT / ranges.length);
    const limitSql = where.bind(window);
    const rows = ranges.map(
      ({ key, range, by }) => `SELECT c.* FROM unnest(${scopes}) s (id) CROSS JOIN LATERAL (
         SELECT ${key} AS key, c.* FROM customers c WHERE ${scopeCondition(column)} AND ${range} ORDER BY ${by} LIMIT ${limitSql}
       ) c LIMIT ${limitSql}`,
    );
    addMatchConditions(where, filter);
    const counted = await this.database.query<ScanCount>(
      rows
        .map(
          (arm) =>
            `SELECT count(*)::int AS scanned, (count(*) FILTER (WHERE ${where.sql}))::int AS matching FROM (${arm}) c`,
        )
        .join(' UNION ALL '),
      where.values,
    );
    const matching = counted.reduce((sum, arm) => sum + arm.matching, 0);
    return capScanCount({ scanned: Math.max(...counted.map(({ scanned }) => scanned)), matching }, window);
  }

  /** Returns the project, the organizations or the installation whose part of the indexes is scanned. */
  private async resolveScope(reach: Reach, projectId: string | null): Promise<ScanScope> {
    if (reach.projectId) {
      const isForeign = projectId !== null && projectId !== reach.projectId;
      return { column: 'project_id', ids: isForeign ? [] : [reach.projectId] };
    }
    // One scope for the complete installation: with one scope per organization, a page would cost more the
    // more organizations there are.
    if (!reach.organizationId && projectId === null) return { column: null, ids: [NIL_UUID] };
    const rows = await this.database.queryPrepared<{ id: string }>(
      projectId === null
        ? `SELECT o.id FROM organizations o WHERE ${organizationsWithin('$1')}`
        : `SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id
           WHERE p.id = $2 AND ${organizationsWithin('$1')}`,
      projectId === null ? [reach.organizationId] : [reach.organizationId, projectId],
    );
    return {
      column: projectId === null ? 'organization_id' : 'project_id',
      ids: rows.map(({ id }) => id),
    };
  }

  /** Returns the matches among the next `window` rows, and always the last of these rows. */
  private async scan(
    { column, ids }: ScanScope,
    filter: CustomerFilter,
    after: CustomerPosition | null,
    window: number,
  ): Promise<Row[]> {
    if (ids.length === 0) return [];
    const where = new Conditions();
    const limit = where.bind(window);
    const { ranges: arms, order } = chooseIndexScan(where, column, filter, after);
    const merged = (scopes: string[]): string => {
      const ranges = scopes.flatMap((scope) =>
        arms.map(
          ({ key, range, by }) => `(SELECT ${key} AS key, c.* FROM customers c
             WHERE ${scope} AND ${range} ORDER BY ${by} LIMIT ${limit})`,
        ),
      );
      return `SELECT * FROM (${ranges.join(' UNION ALL ')}) c ORDER BY ${order} LIMIT ${limit}`;
    };
    const next =
      ids.length <= MAX_INLINED_SCOPES
        ? merged(ids.map((id) => scopeCondition(column, () => where.bind(id))))
        : `SELECT c.* FROM unnest(${where.bind(ids)}::uuid[]) s (id) CROSS JOIN LATERAL (${merged([scopeCondition(column)])}) c
           ORDER BY ${order} LIMIT ${limit}`;
    addMatchConditions(where, filter);
    return this.database.query<Row>(
      `SELECT ${customerColumns}, c.key, c."isMatch", c."isLast" FROM (
         SELECT c.*, (${where.sql}) AS "isMatch", row_number() OVER (ORDER BY ${order}) = ${limit} AS "isLast"
         FROM (${next}) c
       ) c WHERE c."isMatch" OR c."isLast" ORDER BY ${order}`,
      where.values,
    );
  }
}

/** Returns SQL for the customers of a scope. The id is that of the alias `s` unless given. */
const scopeCondition = (column: ScopeColumn, id = (): string => 's.id'): string =>
  column === null ? anyCustomerCondition : `c.${column} = ${id()}`;

/** Chooses the index that leaves the fewest rows to scan. */
function chooseIndexScan(
  where: Conditions,
  scope: ScopeColumn,
  filter: CustomerFilter,
  after: CustomerPosition | null,
): IndexScan {
  const { email, externalId, q, createdAfter, createdBefore, lastLoginAfter, lastLoginBefore } = filter;
  const byTime = (column: string, from: Date | null, to: Date | null, conditions: string[]): IndexScan => {
    const range = timeRange(where, column, { from, to, after });
    const arms = conditions.map((condition) => ({
      key: `c.${column}`,
      range: [condition, ...range].join(' AND '),
      by: `c.${column} DESC, c.id DESC`,
    }));
    return { ranges: arms, order: 'c.key DESC, c.id DESC' };
  };
  if (email !== null) {
    return byTime('created_at', createdAfter, createdBefore, [
      `${scope === 'project_id' ? 'c.email' : emailBytes} = ${where.bind(email)}`,
    ]);
  }
  if (externalId !== null) {
    return byTime('created_at', createdAfter, createdBefore, [`c.external_id = ${where.bind(externalId)}`]);
  }
  if (q !== null) return textScan(where, scope, q, after);
  if (lastLoginAfter ?? lastLoginBefore) {
    return byTime('last_login_at', lastLoginAfter, lastLoginBefore, ['c.last_login_at IS NOT NULL']);
  }
  const verified = [true, false].filter((flag) => flag === (filter.emailVerified ?? flag));
  const disabled = [true, false].filter((flag) => flag === (filter.disabled ?? flag));
  const flags = verified.flatMap((isVerified) =>
    disabled.map(
      (isDisabled) =>
        `c.email_verified = ${isVerified} AND (c.disabled_at IS NOT NULL)::int = ${Number(isDisabled)}`,
    ),
  );
  return byTime('created_at', createdAfter, createdBefore, flags);
}

/** Returns at most one bound on either side. With two bounds, the index scan would start at the wider one. */
function timeRange(
  where: Conditions,
  column: string,
  { from, to, after }: { from: Date | null; to: Date | null; after: CustomerPosition | null },
): string[] {
  const begin = after && { time: new Date(after.key), id: after.id };
  const before = to && { time: to, id: NIL_UUID };
  const end = begin && before ? (begin.time < before.time ? begin : before) : (begin ?? before);
  return [
    ...(from ? [`c.${column} > ${where.bind(from)}`] : []),
    ...(end
      ? [`(c.${column}, c.id) < (${where.bind(end.time)}::timestamptz, ${where.bind(end.id)}::uuid)`]
      : []),
  ];
}

/**
 * Returns the index ranges of a text prefix. In byte order, everything with the prefix is one range of each
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
  const arm = (key: string, condition: string, by: string): IndexRange => {
    return { key, range: `${condition} AND (${key}, c.id) > (${start}, ${id})`, by };
  };
  const inBytes = (name: string, condition: string): IndexRange =>
    arm(name, `${condition} AND ${name} < ${end}`, `${name}, c.id`);
  // The unique index of a project has the same order, with its own operators.
  const byEmail =
    scope === 'project_id'
      ? arm(emailBytes, `c.email ~>=~ ${start} AND c.email ~<~ ${end}`, 'c.email USING ~<~, c.id')
      : inBytes(emailBytes, 'true');
  return {
    ranges: [byEmail, inBytes(fullName, hasName), inBytes(lastName, hasBothNames)],
    order: 'c.key COLLATE "C", c.id',
  };
}

/** Adds the conditions of a match among the scanned rows. */
function addMatchConditions(where: Conditions, filter: CustomerFilter): void {
  where
    .add('true')
    .addIf(filter.email, (value) => `c.email = ${value}`)
    .addIf(filter.externalId, (value) => `c.external_id = ${value}`)
    .addIf(filter.emailVerified, (value) => `c.email_verified = ${value}`)
    .addIf(filter.disabled, (value) => `(c.disabled_at IS NOT NULL) = ${value}`)
    .addIf(filter.createdAfter, (value) => `c.created_at > ${value}`)
    .addIf(filter.createdBefore, (value) => `c.created_at < ${value}`)
    .addIf(filter.lastLoginAfter, (value) => `c.last_login_at > ${value}`)
    .addIf(filter.lastLoginBefore, (value) => `c.last_login_at < ${value}`);
  if (filter.q === null) return;
  const prefix = where.bind(filter.q);
  const found = [
    [emailBytes, 'true'],
    [fullName, hasName],
    [lastName, hasBothNames],
  ].map(
    ([text, condition]) =>
      `CASE WHEN ${condition} AND starts_with(${text}, lower(${prefix})) THEN ${text} END`,
  );
  const isByText = filter.email === null && filter.externalId === null;
  // A customer who matches by several texts is listed once, at the position of the first.
  where.add(isByText ? `c.key = least(${found.join(', ')})` : `coalesce(${found.join(', ')}) IS NOT NULL`);
}

const toPosition = ({ key, id }: Row): CustomerPosition => ({
  key: typeof key === 'string' ? key : key.toISOString(),
  id,
});
