// Raw SQL: bounded scans that are limited by filters and access scope.
import type { AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { organizationIdsSql, sampleAccessScopes, type Conditions } from '../sql/conditions.js';
import { dynamicStatement, type RowMap, type RowOf } from '../sql/statements.js';
import { filterIdRange } from '../sql/uuid-v7.js';
import { cappedCount, COUNT_CAP, COUNT_SCAN_LIMIT, type CappedCount } from './capped-count.js';
import { ownerRangeCondition } from './owner-range-condition.js';
import {
  boundedScanRow,
  boundedScanSql,
  scanPage,
  type ScannedPage,
  type ScannedRow,
} from './scanned-page.js';

/** Maximum number of rows that a page scans when few of them match. The next page continues from there. */
const PAGE_SCAN_LIMIT = 5_000;

/** An index range: an owner's rows by id or, without `column`, all rows by id. */
export interface SearchRange {
  column?: string;
  /** SQL for the column's value. */
  value?: string;
  /** Condition on each scanned row. */
  condition?: string;
  /** FROM item that lists several owners, which `value` refers to. Their ranges are merged. */
  owners?: string;
}

interface SearchFilter {
  createdAfter: Date | null;
  createdBefore: Date | null;
}

/** A table to search by descending id, newest first. */
interface SearchedTable<Filter extends SearchFilter, Row extends RowMap> {
  name: string;
  alias: string;
  /** The columns that `matchConditions` and `pageSql` read. */
  columns: string;
  row: Row;
  /** Maximum difference in ms between an id's timestamp and the filtered time. */
  slack: number;
  /** Filters that together produce every SQL variant. */
  sampleFilters: Filter[];
  /** Returns the conditions under which a scanned row matches. */
  matchConditions: (accessScope: AccessScope, filter: Filter) => Conditions;
  /**
   * Returns the smallest index range that covers the filter. All rows in the range must be within the access scope,
   * because a page's position, and whether there is a next page, would otherwise reveal other rows.
   */
  chooseRange: (where: Conditions, accessScope: AccessScope, filter: Filter) => SearchRange;
  /** Returns SQL that selects a page's rows. @param matches SQL to put after FROM; uses `alias` */
  pageSql: (matches: string) => string;
  /** Returns whether every scanned row matches, in which case a count can stop at the cap. */
  scansOnlyMatches: (accessScope: AccessScope, filter: Filter) => boolean;
}

/** Declares the statements for a `TableSearchRepository`. */
export function searchStatements<Filter extends SearchFilter, Row extends RowMap>(
  table: SearchedTable<Filter, Row>,
) {
  const { alias, matchConditions } = table;
  const sampleCalls = sampleAccessScopes.flatMap((accessScope) =>
    table.sampleFilters.map((filter) => [accessScope, filter] as const),
  );
  const countWindow = (accessScope: AccessScope, filter: Filter): number =>
    table.scansOnlyMatches(accessScope, filter) ? COUNT_CAP + 1 : COUNT_SCAN_LIMIT;
  return {
    /** Returns the matches among the next `window` rows, and the last scanned id if the scan read that many rows. */
    scanRows: dynamicStatement(
      boundedScanRow(table.row),
      (accessScope: AccessScope, filter: Filter, before: string | null, window: number, limit: number) => {
        const where = matchConditions(accessScope, filter);
        const limitSql = where.bind(limit + 1);
        const page = table.pageSql(
          `scanned ${alias} WHERE ${where.sql} ORDER BY ${alias}.id DESC LIMIT ${limitSql}`,
        );
        const scan = scanSql(table, where, accessScope, filter, before, window);
        return { text: boundedScanSql(where, scan, page, window), values: where.values };
      },
      sampleCalls.map((call) => [...call, null, 1, 1] as const),
    ),
    countRows: cappedCount(
      countWindow,
      (accessScope: AccessScope, filter: Filter) => {
        const where = matchConditions(accessScope, filter);
        const scan = scanSql(table, where, accessScope, filter, null, countWindow(accessScope, filter));
        return { where, rows: `(${scan}) ${alias}` };
      },
      sampleCalls,
    ),
  };
}

/** Returns SQL for up to `limit` rows in a filter's index range, newest first. */
function scanSql<Filter extends SearchFilter>(
  { name, alias, columns, slack, chooseRange }: SearchedTable<Filter, RowMap>,
  where: Conditions,
  accessScope: AccessScope,
  filter: Filter,
  before: string | null,
  limit: number,
): string {
  const ids = filterIdRange(filter, before, slack);
  const [first, past] = [where.bind(ids.first), where.bind(ids.past)];
  const { column, value, condition, owners } = chooseRange(where, accessScope, filter);
  const isInRange = column
    ? ownerRangeCondition(alias, column, value!, { first, past })
    : `${alias}.id >= ${first} AND ${alias}.id < ${past}`;
  const newest = `${alias}.id DESC LIMIT ${where.bind(limit)}`;
  const rows = `
    SELECT ${columns} FROM ${name} ${alias} WHERE ${isInRange} AND ${condition ?? 'true'}
    ORDER BY ${column ? `${alias}.${column} DESC, ` : ''}${newest}`;
  if (!owners) return rows;
  return `SELECT ${alias}.* FROM ${owners} CROSS JOIN LATERAL (${rows}) ${alias} ORDER BY ${newest}`;
}

/** Lists a table's rows within an access scope. Each page scans a bounded number of rows, regardless of the filter. */
export abstract class TableSearchRepository<Filter extends SearchFilter, Row extends RowMap> {
  constructor(
    protected readonly database: Database,
    private readonly statements: ReturnType<typeof searchStatements<Filter, Row>>,
  ) {}

  /** Returns up to `limit` rows within an access scope, newest first. @param before the previous page's last id */
  listPage(
    accessScope: AccessScope,
    filter: Filter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<RowOf<Row> & { id: string }>> {
    return scanPage([limit + 1, PAGE_SCAN_LIMIT], before, limit, (after, window) => {
      const rows = this.database.execute(this.statements.scanRows(accessScope, filter, after, window, limit));
      return rows as Promise<ScannedRow<RowOf<Row> & { id: string }>[]>;
    });
  }

  /** Counts the matching rows within an access scope in a bounded scan. */
  count(accessScope: AccessScope, filter: Filter): Promise<CappedCount> {
    return this.statements.countRows(this.database, accessScope, filter);
  }
}

/** Returns the index range for a project, or for all organizations within the access scope. */
export function rangeWithin(
  where: Conditions,
  accessScope: AccessScope,
  filteredProjectId: string | null,
): SearchRange {
  const projectId = filteredProjectId ?? accessScope.projectId;
  if (projectId !== null)
    return ownerRange(where, accessScope, 'project_id', projectId, 'projects', 'owner.id');
  if (!accessScope.organizationIds) return {};
  const organizations = organizationIdsSql(where.bind(accessScope.organizationIds));
  return { column: 'organization_id', value: 'o.id', owners: `(${organizations}) o` };
}

/**
 * Returns an owner's index range, which is empty if the owner is outside the access scope.
 * @param table owners' table, which gets the alias `owner`
 * @param projectColumn SQL for the owner's project id
 */
export function ownerRange(
  where: Conditions,
  accessScope: AccessScope,
  column: string,
  id: string,
  table: string,
  projectColumn: string,
): SearchRange {
  const value = where.bind(id);
  if (!accessScope.organizationIds && !accessScope.projectId) return { column, value };
  const isWithin = where.accessScopeCondition('owner', projectColumn, accessScope);
  const condition = `EXISTS (SELECT FROM ${table} owner WHERE owner.id = ${value} AND ${isWithin})`;
  return { column, value, condition };
}
