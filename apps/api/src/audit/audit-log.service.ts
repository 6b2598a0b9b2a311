import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { matchingAuditActions } from '@gatehouse/domain';
import { AuditLogRepository, type AuditEntry, type AuditFilter } from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { readPage, type Page } from '../http/lists/paging.js';
import { parseTime, parseUpperBound } from '../http/input/time-field.js';
import type { AuditLogQuery, CountAuditLogQuery } from './dto/audit-log.request.js';

/** Lists audit log entries. */
@Injectable()
export class AuditLogService {
  constructor(
    private readonly log: AuditLogRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Returns a page of the entries within the caller's access scope, newest first.
   * @throws GatehouseError `invalid_cursor`
   */
  list({ accessScope }: ManagementCaller, query: AuditLogQuery): Promise<Page<AuditEntry>> {
    const filter = auditFilter(query);
    return readPage(this.cursors, ['audit-log', accessScope, filter], query, (before, limit) =>
      this.log.list(accessScope, filter, before, limit),
    );
  }
}

/** Converts a query into a filter. */
export const auditFilter = (query: CountAuditLogQuery): AuditFilter => ({
  projectId: query.projectId ?? null,
  organizationId: query.organizationId ?? null,
  actorType: query.actorType ?? null,
  actorId: query.actorId ?? null,
  actions: query.action === undefined ? null : matchingAuditActions(query.action),
  targetType: query.targetType ?? null,
  targetId: query.targetId ?? null,
  requestId: query.requestId ?? null,
  createdAfter: parseTime(query.createdAfter),
  createdBefore: parseUpperBound(query.createdBefore),
});
