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
  /** The beginning of an e-mail, a first name, a last name, or both names with a space between them; any case. */
  q: string | null;
  emailVerified: boolean | null;
  disabled: boolean | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  lastLoginAfter: Date | null;
  lastLoginBefore: Date | null;
}

/** The filter that lets everybody through. */
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

/** A place between two customers of a list. */
export interface CustomerPosition {
  /** By what the list is ordered: a time in ISO 8601, or the text that was found. */
  key: string;
  id: string;
}

export interface CustomerPage {
  customers: Customer[];
  /** Null at the end of the list. Otherwise the page may hold less than was asked for, even nothing. */
  next: CustomerPosition | null;
}

type Row = Customer & { key: Date | string; isMatch: boolean; isLast: boolean };

/** Rows that a page looks at when few of the first ones match; the next page goes on from there. */
const PAGE_SCAN_LIMIT = 1_000;

const emailBytes = '(c.email COLLATE "C")';
const fullName = `(lower(coalesce(c.first_name || ' ', '') || coalesce(c.last_name, '')) COLLATE "C")`;
const lastName = `(lower(c.last_name) COLLATE "C")`;
const hasName = '(c.first_name IS NOT NULL OR c.last_name IS NOT NULL)';
const hasBothNames = 'c.first_name IS NOT NULL AND c.last_name IS NOT NULL';

/**
 * SQL that lets a statement use the indexes of the whole house. Everybody fulfils it. Unasked PostgreSQL would walk them
 * for an organization with nearly all customers too, however many of the others come first.
 */
export const anyCustomerCondition = `c.id <> '${NIL_UUID}'`;

/** What an index begins with; null where it is of the whole house. */
type ScopeColumn = 'project_id' | 'organization_id' | null;

interface ScanScope {
  column: ScopeColumn;
  /** One for the whole house too, which nothing is compared with. */
  ids: string[];
}

/**
 * So many are named in the statement, for PostgreSQL then knows how many customers each has: of one with few it
 * reads all and sorts them.
 */
const MAX_INLINED_SCOPES = 8;

/** A range of one index. */
interface IndexRange {
  key: string;
  range: string;
  /** The order of the index. */
  by: string;
}

/** How a list is walked: arms that are merged in one order. */
interface IndexScan {
  ranges: IndexRange[];
  order: string;
}

/**
 * The lists of customers, also of a million. Every list is a walk along indexes that begins where the page
 * begins, and looks at a bounded number of rows whatever the filter is. `npm run bench -- customers --plans` prints
 * the query plans.
 */
export class CustomerDirectoryRepository {
  constructor(private readonly database: Database) {}

  /**
   * Up to `limit` customers after a position: newest first; with a filter on the last login the latest first; with
   * `q` by the text that was found.
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

  /** How many customers within a reach match, as far as a bounded look finds out. */
  async count(reach: Reach, filter: CustomerFilter): Promise<CappedCount> {
    const { column, ids } = await this.resolveScope(reach, filter.projectId);
    const where = new Conditions();
    const scopes = `${where.bind(ids)}::uuid[]`;
    const { ranges } = chooseIndexScan(where, column, filter, null);
    const window = Math.ceil(COUNT_SCAN_LIMIT / ranges.length);
    const most = where.bind(window);
    const rows = ranges.map(
      ({ key, range, by }) => `SELECT c.* FROM unnest(${scopes}) s (id) CROSS JOIN LATERAL (
         SELECT ${key} AS key, c.* FROM customers c WHERE ${scopeCondition(column)} AND ${range} ORDER BY ${by} LIMIT ${most}
       ) c LIMIT ${most}`,
    );
    addMatchConditions(where, filter);
    const counted = await this.database.query<ScanCount>(
      rows
        .map(
          (arm) =>
            `SELECT count(*)::int AS looked, (count(*) FILTER (WHERE ${where.sql}))::int AS matching FROM (${arm}) c`,
        )
        .join(' UNION ALL '),
      where.values,
    );
    const matching = counted.reduce((sum, arm) => sum + arm.matching, 0);
    return capScanCount({ looked: Math.max(...counted.map(({ looked }) => looked)), matching }, window);
  }

  /** The project, the organizations or the house whose part of the indexes is walked. */
  private async resolveScope(reach: Reach, projectId: string | null): Promise<ScanScope> {
    if (reach.projectId) {
      const isForeign = projectId !== null && projectId !== reach.projectId;
      return { column: 'project_id', ids: isForeign ? [] : [reach.projectId] };
    }
    // As one: organization by organization, a page would cost the more the more there are.
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

  /** The matches among the next `window` rows, and the last of these in any case. */
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

/** SQL for the customers of a scope, whose id is that of the alias `s` unless told. */
const scopeCondition = (column: ScopeColumn, id = (): string => 's.id'): string =>
  column === null ? anyCustomerCondition : `c.${column} = ${id()}`;

/** The index that leaves the fewest rows to be looked at. */
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

/** At most one bound on either side: of two the index would walk from the wider one. */
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

/** Everything that begins with the text is in one range of each index, in the order of bytes. */
function textScan(
  where: Conditions,
  scope: ScopeColumn,
  q: string,
  after: CustomerPosition | null,
): IndexScan {
  const lowest = `lower(${where.bind(q)})`;
  const start = `coalesce(${where.bind(after?.key ?? null)}, ${lowest})`;
  const id = `${where.bind(after?.id ?? NIL_UUID)}::uuid`;
  const end = `(${lowest} || chr(1114111))`;
  const arm = (key: string, condition: string, by: string): IndexRange => {
    return { key, range: `${condition} AND (${key}, c.id) > (${start}, ${id})`, by };
  };
  const inBytes = (name: string, condition: string): IndexRange =>
    arm(name, `${condition} AND ${name} < ${end}`, `${name}, c.id`);
  // The unique index of a project is in the same order, by operators of its own.
  const byEmail =
    scope === 'project_id'
      ? arm(emailBytes, `c.email ~>=~ ${start} AND c.email ~<~ ${end}`, 'c.email USING ~<~, c.id')
      : inBytes(emailBytes, 'true');
  return {
    ranges: [byEmail, inBytes(fullName, hasName), inBytes(lastName, hasBothNames)],
    order: 'c.key COLLATE "C", c.id',
  };
}

/** Adds what makes a row of the walk a match. */
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
  // Who is found by several texts is shown once, where the first of them stands.
  where.add(isByText ? `c.key = least(${found.join(', ')})` : `coalesce(${found.join(', ')}) IS NOT NULL`);
}

const toPosition = ({ key, id }: Row): CustomerPosition => ({
  key: typeof key === 'string' ? key : key.toISOString(),
  id,
});
