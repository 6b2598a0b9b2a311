import type { Reach } from '@gatehouse/domain';
import { countWithin, MOST_COUNTED, MOST_LOOKED, type CappedCount } from '../capped-count.js';
import { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import { idsBetween } from '../id-times.js';
import { ownedRange } from '../owned-range.js';
import { lookAlong, walkPage, type WalkedPage, type WalkedRow } from '../walked-page.js';
import { addAuditFilter, auditColumns, type AuditEntry, type AuditFilter } from './audit-log.repository.js';

/** Entries that a page looks at when few of the first ones match; the next page goes on from there. */
const SCANNED_ROWS = 5_000;

/** The audit log as operators look through it: of the whole house, and however long it is a page looks at a part. */
export class AuditSearchRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` entries within a reach, newest first. @param before the last id of the page before */
  page(
    reach: Reach,
    filter: AuditFilter,
    before: string | null,
    limit: number,
  ): Promise<WalkedPage<AuditEntry>> {
    return walkPage([limit + 1, SCANNED_ROWS], before, limit, (after, window) =>
      this.look(reach, filter, after, window, limit),
    );
  }

  /** How many entries within a reach match, as far as a bounded look finds out. */
  async count(reach: Reach, filter: AuditFilter): Promise<CappedCount> {
    const where = matches(reach, filter);
    const isMatch = where.sql;
    const window = where.values.length === 0 ? MOST_COUNTED + 1 : MOST_LOOKED;
    const rows = `(${walkEntries(where, filter, null, window)}) a`;
    return countWithin(this.database, { rows, isMatch, values: where.values }, window);
  }

  /** The entry with this id, if it is within a reach. */
  async find(reach: Reach, id: string): Promise<AuditEntry | null> {
    const where = new Conditions().reach('a', 'a.project_id', reach);
    const [entry] = await this.database.query<AuditEntry>(
      `SELECT ${auditColumns} FROM audit_log a WHERE a.id = ${where.value(id)} AND ${where.sql}`,
      where.values,
    );
    return entry ?? null;
  }

  /** The matches among the next `window` entries, and the last of these if there are so many. */
  private look(
    reach: Reach,
    filter: AuditFilter,
    before: string | null,
    window: number,
    limit: number,
  ): Promise<WalkedRow<AuditEntry>[]> {
    const where = matches(reach, filter);
    const most = where.value(limit + 1);
    const page = `SELECT ${auditColumns} FROM walked a WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${most}`;
    const walk = walkEntries(where, filter, before, window);
    return this.database.query<WalkedRow<AuditEntry>>(lookAlong(where, walk, page, window), where.values);
  }
}

/** What makes an entry of the walk a match. */
function matches(reach: Reach, filter: AuditFilter): Conditions {
  const where = new Conditions()
    .reach('a', 'a.project_id', reach)
    .addIf(filter.projectId, (value) => `a.project_id = ${value}`);
  return addAuditFilter(where, filter);
}

/**
 * SQL for the newest entries, newest first and no more than `limit`: of the filter's request, target, actor or project,
 * or of all.
 */
function walkEntries(where: Conditions, filter: AuditFilter, before: string | null, limit: number): string {
  const { requestId, targetId, actorId, projectId } = filter;
  const ids = idsBetween(filter, before, 0);
  const [first, past] = [where.value(ids.first), where.value(ids.past)];
  const most = where.value(limit);
  const owners = { request_id: requestId, target_id: targetId, actor_id: actorId, project_id: projectId };
  const [column, owner] = Object.entries(owners).find(([, value]) => value !== null) ?? [];
  if (column === undefined) {
    return `SELECT a.* FROM audit_log a WHERE a.id >= ${first} AND a.id < ${past} ORDER BY a.id DESC LIMIT ${most}`;
  }
  const value = where.value(owner);
  return `SELECT a.* FROM audit_log a
    WHERE ${ownedRange('a', column, value, { first, past })}
    ORDER BY a.${column} DESC, a.id DESC LIMIT ${most}`;
}
