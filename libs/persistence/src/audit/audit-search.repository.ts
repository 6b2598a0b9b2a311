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
import { Conditions, sampleReaches } from '../conditions.js';
import type { Database } from '../database.js';
import { filterIdRange, NIL_UUID } from '../uuid-v7.js';
import { ownerRangeCondition } from '../owner-range-condition.js';
import { dynamicStatement } from '../statements.js';
import { boundedScanSql, walkedRow, scanPage, type ScannedPage } from '../scanned-page.js';
import {
  addAuditFilter,
  auditColumns,
  auditRow,
  sampleAuditFilters,
  type AuditEntry,
  type AuditFilter,
} from './audit-log.repository.js';

/** Entries that a page looks at when few of the first ones match; the next page goes on from there. */
const PAGE_SCAN_LIMIT = 5_000;

const sampleCalls = sampleReaches.flatMap((reach) =>
  sampleAuditFilters.map((filter) => [reach, filter] as const),
);

/** Returns the number of entries that a count reads at most. */
const countWindow = (reach: Reach, filter: AuditFilter): number =>
  matchConditions(reach, filter).values.length === 0 ? COUNT_CAP + 1 : COUNT_SCAN_LIMIT;

const countEntries = dynamicStatement(
  countedRow,
  (reach: Reach, filter: AuditFilter) => {
    const where = matchConditions(reach, filter);
    const isMatch = where.sql;
    const rows = `(${entryScanSql(where, filter, null, countWindow(reach, filter))}) a`;
    return { text: countedSql(rows, isMatch), values: where.values };
  },
  sampleCalls,
);

const findEntry = dynamicStatement(
  auditRow,
  (reach: Reach, id: string) => {
    const where = new Conditions().addReach('a', 'a.project_id', reach);
    const text = `SELECT ${auditColumns} FROM audit_log a WHERE a.id = ${where.bind(id)} AND ${where.sql}`;
    return { text, values: where.values };
  },
  sampleReaches.map((reach) => [reach, NIL_UUID] as const),
);

/** Returns the matches among the next `window` entries, and the last of these if there are so many. */
const scanEntries = dynamicStatement(
  walkedRow(auditRow),
  (reach: Reach, filter: AuditFilter, before: string | null, window: number, limit: number) => {
    const where = matchConditions(reach, filter);
    const most = where.bind(limit + 1);
    const page = `SELECT ${auditColumns} FROM walked a WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${most}`;
    const walk = entryScanSql(where, filter, before, window);
    return { text: boundedScanSql(where, walk, page, window), values: where.values };
  },
  sampleCalls.map((call) => [...call, null, 1, 1] as const),
);

/** The audit log as operators look through it: of the whole house, and however long it is a page looks at a part. */
export class AuditSearchRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` entries within a reach, newest first. @param before the last id of the page before */
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

  /** How many entries within a reach match, as far as a bounded look finds out. */
  async count(reach: Reach, filter: AuditFilter): Promise<CappedCount> {
    const [counted] = await this.database.execute(countEntries(reach, filter));
    return capScanCount(counted!, countWindow(reach, filter));
  }

  /** The entry with this id, if it is within a reach. */
  async find(reach: Reach, id: string): Promise<AuditEntry | null> {
    const [entry] = await this.database.execute(findEntry(reach, id));
    return entry ?? null;
  }
}

/** What makes an entry of the walk a match. */
function matchConditions(reach: Reach, filter: AuditFilter): Conditions {
  const where = new Conditions()
    .addReach('a', 'a.project_id', reach)
    .addIf(filter.projectId, (value) => `a.project_id = ${value}`);
  return addAuditFilter(where, filter);
}

/**
 * SQL for the newest entries, newest first and no more than `limit`: of the filter's request, target, actor or project,
 * or of all.
 */
function entryScanSql(where: Conditions, filter: AuditFilter, before: string | null, limit: number): string {
  const { requestId, targetId, actorId, projectId } = filter;
  const ids = filterIdRange(filter, before, 0);
  const [first, past] = [where.bind(ids.first), where.bind(ids.past)];
  const most = where.bind(limit);
  const owners = { request_id: requestId, target_id: targetId, actor_id: actorId, project_id: projectId };
  const [column, owner] = Object.entries(owners).find(([, value]) => value !== null) ?? [];
  if (column === undefined) {
    return `SELECT a.* FROM audit_log a WHERE a.id >= ${first} AND a.id < ${past} ORDER BY a.id DESC LIMIT ${most}`;
  }
  const value = where.bind(owner);
  return `SELECT a.* FROM audit_log a
    WHERE ${ownerRangeCondition('a', column, value, { first, past })}
    ORDER BY a.${column} DESC, a.id DESC LIMIT ${most}`;
}
