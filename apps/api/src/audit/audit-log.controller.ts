import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { camelList } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditLogQuery } from './dto/audit-log.request.js';
import { AuditEntryResponse } from './dto/audit-entry.response.js';

@ApiTags('Audit log')
@Controller('api/v1/audit-log')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'auditLog.list',
    summary: 'List audit log entries',
    description:
      'Newest first. Each entry contains the actor, the action, the target, the IP address and the request. Customer sign-ins and token refreshes are not recorded in the audit log.',
  })
  @SecretKey('audit:read')
  @ApiCamelList(AuditEntryResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: AuditLogQuery) {
    const { items, nextCursor } = await this.auditLog.list(caller, query);
    return camelList(
      items.map((entry) => AuditEntryResponse.from(entry)),
      nextCursor,
    );
  }
}
