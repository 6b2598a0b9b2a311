// Raw SQL: bounded index scans whose results are merged, and access scope conditions.
import type { Customer, AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import {
  capScanCount,
  countedRow,
  countedSql,
  COUNT_SCAN_LIMIT,
  type CappedCount,
} from '../lists/capped-count.js';
import { Conditions, organizationIdsSql, organizationsWithin } from '../sql/conditions.js';
import {
  boolean,
  dynamicStatement,
  neverNull,
  nullable,
  statement,
  text,
  timestamptz,
  uuid,
  type Query,
  type RowOf,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import {
  addMatchConditions,
  emptyCustomerFilter,
  isSortedByText,
  type CustomerFilter,
} from './customer-filter.js';
import {
  chooseIndexScan,
  MAX_INLINED_SCOPES,
  mergedRangesSql,
  rangesSql,
  type CustomerPosition,
  type RowSource,
  type ScanScope,
} from './customer-scan.js';
import { findRareSql, findSampledCustomers, resolveRowSource } from './customer-substrings.js';
import { customerColumns, customerRow } from './customers.repository.js';

export interface CustomerPage {
  customers: Customer[];
  /**
   * Null at the end of the list. If it is set, the page may still contain fewer customers than requested, or none.
   */
  next: CustomerPosition | null;
}

/** Maximum number of rows scanned for one page. If few of them match, the next page continues from there. */
const PAGE_SCAN_LIMIT = 1_000;

const listOrganizations = statement({ id: uuid }, organizationIdsSql('$1'));

const findProject = statement(
  { id: uuid },
  `SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id
   WHERE p.id = $2 AND ${organizationsWithin('$1')}`,
);

const sampleScopes: ScanScope[] = [
  { column: null, ids: [NIL_UUID] },
  { column: 'project_id', ids: [NIL_UUID] },
  { column: 'organization_id', ids: [NIL_UUID, NIL_UUID] },
  { column: 'organization_id', ids: Array<string>(MAX_INLINED_SCOPES + 1).fill(NIL_UUID) },
];

const noFilter = emptyCustomerFilter;
const epoch = new Date(0);

/** Filters that cover every scan in time order and every condition. */
const sampleTimeFilters: CustomerFilter[] = [
  noFilter,
  { ...noFilter, email: 'ada@example.com', q: 'ada', emailVerified: true, disabled: false },
  { ...noFilter, externalId: '1', createdAfter: epoch, createdBefore: epoch },
  { ...noFilter, lastLoginAfter: epoch, lastLoginBefore: epoch, disabled: true },
  { ...noFilter, locked: true, q: 'ada' },
  { ...noFilter, contains: 'ada' },
];

const sampleTextFilters: CustomerFilter[] = [
  { ...noFilter, q: 'ada' },
  { ...noFilter, q: 'ada', emailVerified: true, createdAfter: epoch, lastLoginBefore: epoch },
];

const installation: ScanScope = { column: null, ids: [NIL_UUID] };

/**
 * Returns the scope whose index ranges are scanned. For locked customers, this is the installation: few are locked at
 * the same time, so their indexes do not include the project or organization. Their ranges filter by scope instead.
 */
const scannedScope = (scope: ScanScope, { locked }: CustomerFilter): ScanScope =>
  locked ? installation : scope;

/** Maximum number of rows scanned to count locked customers. Each row requires several index lookups. */
const LOCK_COUNT_LIMIT = 5_000;
/** Returns the possible row sources for a filter. */
const sampleSources = ({ contains }: CustomerFilter): RowSource[] =>
  contains === null ? ['customers'] : ['customers', 'found'];

/** Returns the maximum number of rows that a count scans in each range. */
const countWindow = (scope: ScanScope, filter: CustomerFilter): number =>
  Math.ceil(
    (filter.locked ? LOCK_COUNT_LIMIT : COUNT_SCAN_LIMIT) /
      chooseIndexScan(new Conditions(), scope, filter, null).ranges.length,
  );

/** Counts the matches in each range. */
const countCustomers = dynamicStatement(
  countedRow,
  (scope: ScanScope, filter: CustomerFilter, source: RowSource) => {
    const where = new Conditions();
    const found = findRareSql(where, filter, source);
    const scan = chooseIndexScan(where, scope, filter, null);
    const window = where.bind(countWindow(scope, filter));
    const ranges = rangesSql(where, scannedScope(scope, filter), scan, source, window);
    addMatchConditions(where, filter);
    const counts = ranges.map((rows) => countedSql(`(${rows}) c`, where.sql));
    return { text: found + counts.join(' UNION ALL '), values: where.values };
  },
  sampleScopes.flatMap((scope) =>
    [...sampleTimeFilters, ...sampleTextFilters].flatMap((filter) =>
      sampleSources(filter).map((source) => [scope, filter, source] as const),
    ),
  ),
);

/**
 * Returns SQL for the matches among the next `window` rows. Also includes the last row of a full window, even if it
 * does not match.
 */
function scanSql(
  scope: ScanScope,
  filter: CustomerFilter,
  source: RowSource,
  after: CustomerPosition | null,
  window: number,
): Query {
  const where = new Conditions();
  const limit = where.bind(window);
  const found = findRareSql(where, filter, source);
  const scan = chooseIndexScan(where, scope, filter, after);
  const rows = mergedRangesSql(where, scannedScope(scope, filter), scan, source, limit);
  addMatchConditions(where, filter);
  const sql = `
    ${found} SELECT ${customerColumns}, c.key, c."isMatch", c."isLast" FROM (
      SELECT c.*, (${where.sql}) AS "isMatch", row_number() OVER (ORDER BY ${scan.orderBy}) = ${limit} AS "isLast"
      FROM (${rows}) c
    ) c WHERE c."isMatch" OR c."isLast" ORDER BY ${scan.orderBy}`;
  return { text: sql, values: where.values };
}

/** A scanned customer. The flags mark a match and the last row of a full window. */
const scannedRow = { ...customerRow, isMatch: nullable(boolean), isLast: boolean };

const scanByTime = dynamicStatement(
  // The key is never null, because only customers who have signed in are scanned by last login.
  { ...scannedRow, key: neverNull(timestamptz) },
  scanSql,
  sampleScopes.flatMap((scope) =>
    sampleTimeFilters.flatMap((filter) =>
      sampleSources(filter).flatMap((source) => [
        [scope, filter, source, null, 1] as const,
        [scope, filter, source, { key: epoch.toISOString(), id: NIL_UUID }, 1] as const,
      ]),
    ),
  ),
);

const scanByText = dynamicStatement(
  { ...scannedRow, key: text },
  scanSql,
  sampleScopes.flatMap((scope) =>
    sampleTextFilters.map((filter) => [scope, filter, 'customers', null, 1] as const),
  ),
);

type ScannedCustomer = RowOf<typeof scannedRow> & { key: Date | string };

/**
 * Lists customers, for installations with up to a million customers. Every list is an index scan that starts at the
 * page's position and reads a bounded number of rows, regardless of the filter.
 * `npm run bench -- customers --plans` prints the query plans.
 */
export class CustomerDirectoryRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` customers after a position. Sorts by creation time, newest first, unless a filter changes
   * the order: a last-login filter sorts by latest login, `q` by the matching string, and `locked` by latest lock
   * end. `contains` does not change the order.
   */
  async listPage(
    accessScope: AccessScope,
    filter: CustomerFilter,
    after: CustomerPosition | null,
    limit: number,
  ): Promise<CustomerPage> {
    const scope = await this.resolveScope(accessScope, filter.projectId);
    const source = await resolveRowSource(this.database, filter);
    const found: ScannedCustomer[] = [];
    let next = after;
    for (const window of [limit + 1, 4 * (limit + 1), PAGE_SCAN_LIMIT]) {
      const rows = await this.scan(scope, filter, source, next, window);
      found.push(...rows.filter(({ isMatch, id }, index) => isMatch && id !== rows[index - 1]?.id));
      if (found.length > limit) break;
      const last = rows.at(-1);
      if (!last?.isLast) return { customers: found, next: null };
      next = toPosition(last);
    }
    const customers = found.slice(0, limit);
    return { customers, next: found.length > limit ? toPosition(customers.at(-1)!) : next };
  }

  /**
   * Returns up to `limit` customers that contain a string, newest first. If the string is frequent but not among the
   * newest customers, appends matches from a sample of all customers.
   */
  async findContaining(accessScope: AccessScope, text: string, limit: number): Promise<Customer[]> {
    const filter = { ...emptyCustomerFilter, contains: text };
    const { customers, next } = await this.listPage(accessScope, filter, null, limit);
    if (customers.length >= limit || !next) return customers;
    return [...customers, ...(await findSampledCustomers(this.database, accessScope, text, limit))];
  }

  /** Counts the matching customers within an access scope in a bounded scan. */
  async count(accessScope: AccessScope, filter: CustomerFilter): Promise<CappedCount> {
    const scope = await this.resolveScope(accessScope, filter.projectId);
    const source = await resolveRowSource(this.database, filter);
    const counts = await this.database.execute(countCustomers(scope, filter, source));
    const scanned = Math.max(...counts.map((range) => range.scanned));
    const matching = counts.reduce((sum, range) => sum + range.matching, 0);
    return capScanCount({ scanned, matching }, countWindow(scope, filter));
  }

  /** Returns the scope to scan: the project, the organizations or the installation. */
  private async resolveScope(accessScope: AccessScope, projectId: string | null): Promise<ScanScope> {
    if (accessScope.projectId) {
      const isForeign = projectId !== null && projectId !== accessScope.projectId;
      return { column: 'project_id', ids: isForeign ? [] : [accessScope.projectId] };
    }
    // One scope for the whole installation: with one scope per organization, the page cost would grow with their
    // number.
    if (!accessScope.organizationIds && projectId === null) return installation;
    const rows =
      projectId === null
        ? await this.database.execute(listOrganizations, [accessScope.organizationIds])
        : await this.database.execute(findProject, [accessScope.organizationIds, projectId]);
    return {
      column: projectId === null ? 'organization_id' : 'project_id',
      ids: rows.map(({ id }) => id),
    };
  }

  private async scan(
    scope: ScanScope,
    filter: CustomerFilter,
    source: RowSource,
    after: CustomerPosition | null,
    window: number,
  ): Promise<ScannedCustomer[]> {
    if (scope.ids.length === 0) return [];
    return isSortedByText(filter)
      ? this.database.execute(scanByText(scope, filter, source, after, window))
      : this.database.execute(scanByTime(scope, filter, source, after, window));
  }
}

const toPosition = ({ key, id }: ScannedCustomer): CustomerPosition => ({
  key: key instanceof Date ? key.toISOString() : key,
  id,
});
