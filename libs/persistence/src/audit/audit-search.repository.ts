// This file contains SQL: bounded searches by filter and reach.
import type { Reach } from '@gatehouse/domain';
import {
  capScanCount,
  countedRow,
  countedSql,
  COUNT_CAP,
  COUNT_SCAN_LIMIT,
  type CappedCount,
} from '../capped-count.js';
import { Conditions, organizationIdsSql, sampleReaches } from '../conditions.js';
import type { Database } from '../database.js';
import { filterIdRange, NIL_UUID } from '../uuid-v7.js';
import { ownerRangeCondition } from '../owner-range-condition.js';
import { dynamicStatement } from '../statements.js';
import { boundedScanRow, boundedScanSql, scanPage, type ScannedPage } from '../scanned-page.js';
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
  const { requestId, targetId, actorId, projectId, organizationId } = filter;
  const ids = filterIdRange(filter, before, 0);
  const [first, past] = [where.bind(ids.first), where.bind(ids.past)];
  const limitSql = where.bind(limit);
  const owners = {
    ...{ request_id: requestId, target_id: targetId, actor_id: actorId },
    ...{ project_id: projectId, organization_id: organizationId },
  };
  const scanOwner = (column: string, owner: string): string => `SELECT a.* FROM audit_log a
    WHERE ${ownerRangeCondition('a', column, owner, { first, past })}
    ORDER BY a.${column} DESC, a.id DESC LIMIT ${limitSql}`;
  const [column, owner] = Object.entries(owners).find(([, value]) => value !== null) ?? [];
  if (column !== undefined) return scanOwner(column, where.bind(owner));
  if (!reach.organizationIds) {
    return `SELECT a.* FROM audit_log a WHERE a.id >= ${first} AND a.id < ${past} ORDER BY a.id DESC LIMIT ${limitSql}`;
  }
  return `SELECT a.* FROM (${organizationIdsSql(where.bind(reach.organizationIds))}) o
    CROSS JOIN LATERAL (${scanOwner('organization_id', 'o.id')}) a ORDER BY a.id DESC LIMIT ${limitSql}`;
}
