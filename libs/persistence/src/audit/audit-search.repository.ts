// This file contains SQL: bounded searches by filter and reach.
import type { Reach } from '@gatehouse/domain';
import {
  capScanCount,
  countedRow,
  countedSql,
  COUNT_CAP,
  COUNT_SCAN_LIMIT,
  type CappedCount,
} from '../lists/capped-count.js';
import { Conditions, organizationIdsSql, sampleReaches } from '../sql/conditions.js';
import type { Database } from '../database/database.js';
import { filterIdRange, NIL_UUID } from '../sql/uuid-v7.js';
import { ownerRangeCondition } from '../lists/owner-range-condition.js';
import { dynamicStatement } from '../sql/statements.js';
import { boundedScanRow, boundedScanSql, scanPage, type ScannedPage } from '../lists/scanned-page.js';
import {
  addAuditFilter,
  auditColumns,
  auditRow,
  sampleAuditFilters,
  type AuditEntry,
  type AuditFilter,
} from './audit-log.repository.js';

/** Maximum number of entries that a page scans if few of them match. The next page continues from there. */
const PAGE_SCAN_LIMIT = 5_000;

const sampleCalls = sampleReaches.flatMap((reach) =>
  sampleAuditFilters.map((filter) => [reach, filter] as const),
);

/** Returns the maximum number of entries that a count scans. */
const countWindow = (reach: Reach, filter: AuditFilter): number =>
  matchConditions(reach, filter).values.length === 0 ? COUNT_CAP + 1 : COUNT_SCAN_LIMIT;

const countEntries = dynamicStatement(
  countedRow,
  (reach: Reach, filter: AuditFilter) => {
    const where = matchConditions(reach, filter);
    const isMatch = where.sql;
    const rows = `(${entryScanSql(where, reach, filter, null, countWindow(reach, filter))}) a`;
    return { text: countedSql(rows, isMatch), values: where.values };
  },
  sampleCalls,
);

const findEntry = dynamicStatement(
  auditRow,
  (reach: Reach, id: string) => {
    const where = new Conditions().addReach('a', 'a.project_id', reach);
    const sql = `SELECT ${auditColumns} FROM audit_log a WHERE a.id = ${where.bind(id)} AND ${where.sql}`;
    return { text: sql, values: where.values };
  },
  sampleReaches.map((reach) => [reach, NIL_UUID] as const),
);

/**
 * Returns the matches among the next `window` entries, and the last scanned id if there are at least that
 * many.
 */
const scanEntries = dynamicStatement(
  boundedScanRow(auditRow),
  (reach: Reach, filter: AuditFilter, before: string | null, window: number, limit: number) => {
    const where = matchConditions(reach, filter);
    const limitSql = where.bind(limit + 1);
    const page = `SELECT ${auditColumns} FROM scanned a WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${limitSql}`;
    const scan = entryScanSql(where, reach, filter, before, window);
    return { text: boundedScanSql(where, scan, page, window), values: where.values };
  },
  sampleCalls.map((call) => [...call, null, 1, 1] as const),
);

/** The audit log for operators, with a bounded scan per page. */
export class AuditSearchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` entries within a reach, newest first.
   * @param before last id of the previous page
   */
  listPage(
    reach: Reach,
    filter: AuditFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<AuditEntry>> {
    return scanPage([limit + 1, PAGE_SCAN_LIMIT], before, limit, (after, window) =>
      this.database.execute(scanEntries(reach, filter, after, window, limit)),
    );
  }

  /** Counts the matching entries within a reach in a bounded scan. */
  async count(reach: Reach, filter: AuditFilter): Promise<CappedCount> {
    const [counted] = await this.database.execute(countEntries(reach, filter));
    return capScanCount(counted!, countWindow(reach, filter));
  }

  /** Returns the entry with this id if it is within the reach. */
  async find(reach: Reach, id: string): Promise<AuditEntry | null> {
    const [entry] = await this.database.execute(findEntry(reach, id));
    return entry ?? null;
  }
}

/** Returns the conditions of a match among the scanned entries. */
function matchConditions(reach: Reach, filter: AuditFilter): Conditions {
  const where = new Conditions()
    .addReach('a', 'a.project_id', reach)
    .addIf(filter.projectId, (value) => `a.project_id = ${value}`);
  return addAuditFilter(where, filter);
}

/** An index range of entries with a value in a column, and the condition for scanning them. */
interface EntryRange {
  column: string;
  value: string;
  condition: string;
}

/**
 * Returns the index range of the filter with the fewest entries. A scanned entry is always within the reach: the
 * position of a page and whether there are more would otherwise expose others. An actor can have many entries out of
 * reach, so theirs are found among those of the organizations if the reach has a limit.
 */
function entryRange(where: Conditions, reach: Reach, filter: AuditFilter): EntryRange | null {
  const { requestId, targetId, actorId, projectId, organizationId } = filter;
  const isWithin = () => where.reachCondition('a', 'a.project_id', reach);
  const rangeOf = (column: string, value: string, condition: string) => ({ column, value, condition });
  if (requestId !== null) return rangeOf('request_id', where.bind(requestId), isWithin());
  if (targetId !== null) return rangeOf('target_id', where.bind(targetId), isWithin());
  if (actorId !== null && !reach.organizationIds) return rangeOf('actor_id', where.bind(actorId), 'true');
  if (projectId !== null) {
    const id = where.bind(projectId);
    const projects = `SELECT FROM projects p WHERE p.id = ${id} AND ${where.reachCondition('p', 'p.id', reach)}`;
    return rangeOf('project_id', id, reach.organizationIds ? `EXISTS (${projects})` : 'true');
  }
  if (organizationId === null) return null;
  const id = where.bind(organizationId);
  if (!reach.organizationIds) return rangeOf('organization_id', id, 'true');
  const organizations = organizationIdsSql(where.bind(reach.organizationIds));
  return rangeOf('organization_id', id, `${id}::uuid IN (${organizations})`);
}

/**
 * Returns SQL for the newest entries, newest first and at most `limit`: those of the filter's request,
 * target, actor, project or organization, or those of the organizations within the reach.
 */
function entryScanSql(
  where: Conditions,
  reach: Reach,
  filter: AuditFilter,
  before: string | null,
  limit: number,
): string {
  const ids = filterIdRange(filter, before, 0);
  const [first, past] = [where.bind(ids.first), where.bind(ids.past)];
  const limitSql = where.bind(limit);
  const scanRange = ({ column, value, condition }: EntryRange): string => `SELECT a.* FROM audit_log a
    WHERE ${ownerRangeCondition('a', column, value, { first, past })} AND ${condition}
    ORDER BY a.${column} DESC, a.id DESC LIMIT ${limitSql}`;
  const range = entryRange(where, reach, filter);
  if (range) return scanRange(range);
  if (!reach.organizationIds) {
    return `SELECT a.* FROM audit_log a WHERE a.id >= ${first} AND a.id < ${past} ORDER BY a.id DESC LIMIT ${limitSql}`;
  }
  const ofOrganization = { column: 'organization_id', value: 'o.id', condition: 'true' };
  return `SELECT a.* FROM (${organizationIdsSql(where.bind(reach.organizationIds))}) o
    CROSS JOIN LATERAL (${scanRange(ofOrganization)}) a ORDER BY a.id DESC LIMIT ${limitSql}`;
}
