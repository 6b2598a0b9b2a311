import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '#auth';
import { matchingAuditActions } from '#domain';
import { AuditLogRepository, type AuditEntry, type AuditFilter } from '#persistence';
import { CursorCodec } from '#platform';
import { readPage, type Page } from '../http/paging.js';
import type { AuditLogQuery } from './dto/audit-log.request.js';

/** The audit log as it is read. */
@Injectable()
export class AuditLogService {
  constructor(
    private readonly log: AuditLogRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /** What was done within the caller's reach, newest first. @throws GatehouseError `invalid_cursor` */
  list({ reach }: SecretKeyCaller, query: AuditLogQuery): Promise<Page<AuditEntry>> {
    const filter = auditFilter(query);
    return readPage(this.cursors, ['audit-log', reach, filter], query, (before, limit) =>
      this.log.list(reach, filter, before, limit),
    );
  }
}

const auditFilter = (query: AuditLogQuery): AuditFilter => ({
  projectId: query.projectId ?? null,
  actorType: query.actorType ?? null,
  actorId: query.actorId ?? null,
  actions: query.action === undefined ? null : matchingAuditActions(query.action),
  targetType: query.targetType ?? null,
  targetId: query.targetId ?? null,
  requestId: query.requestId ?? null,
  createdAfter: query.createdAfter ? new Date(query.createdAfter) : null,
  createdBefore: query.createdBefore ? new Date(query.createdBefore) : null,
});
