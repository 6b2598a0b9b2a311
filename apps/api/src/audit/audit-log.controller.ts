import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagingCaller } from '#auth';
import { ApiCamelList } from '../http/api-envelopes.js';
import { camelList } from '../http/paging.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditLogQuery } from './dto/audit-log.request.js';
import { AuditEntryResponse } from './dto/audit-entry.response.js';

@ApiTags('Audit log')
@Controller('api/v1/audit-log')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  /** Who did what to what, from where and when, newest first. Logins and refreshes are events instead. */
  @Get()
  @SecretKey('audit:read')
  @ApiCamelList(AuditEntryResponse)
  async list(@CurrentCaller() caller: ManagingCaller, @Query() query: AuditLogQuery) {
    const { items, nextCursor } = await this.auditLog.list(caller, query);
    return camelList(
      items.map((entry) => AuditEntryResponse.from(entry)),
      nextCursor,
    );
  }
}
