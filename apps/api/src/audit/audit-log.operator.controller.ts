import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { CountResponse } from '../http/lists/count.response.js';
import { camelList } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { AuditSearchService } from './audit-search.service.js';
import { NamedAuditEntryResponse } from './dto/audit-entry.response.js';
import { AuditLogQuery, CountAuditLogQuery } from './dto/audit-log.request.js';

@ApiTags('Operators')
@Controller('operator/v1/audit-log')
export class AuditLogOperatorController {
  constructor(private readonly search: AuditSearchService) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'auditLog.list',
    summary: 'List audit log entries',
    description:
      'Newest first. A page may contain fewer entries than `limit`, or none, while `hasMore` is true.',
  })
  @Operator('viewer')
  @ApiCamelList(NamedAuditEntryResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: AuditLogQuery) {
    const { items, nextCursor } = await this.search.list(caller, query);
    return camelList(
      items.map((entry) => NamedAuditEntryResponse.from(entry)),
      nextCursor,
    );
  }

  @Get('count')
  @ReadsFromReplica()
  @ApiOperation({ operationId: 'auditLog.count', summary: 'Count audit log entries' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountAuditLogQuery) {
    return CountResponse.from(await this.search.count(caller, query));
  }

  @Get(':entryId')
  @ApiOperation({ operationId: 'auditLog.get', summary: 'Get an audit log entry' })
  @Operator('viewer')
  @ApiOkResponse({ type: NamedAuditEntryResponse })
  async get(@CurrentCaller() caller: ManagementCaller, @Param('entryId') id: string) {
    return NamedAuditEntryResponse.from(await this.search.get(caller, parsePathUuid(id)));
  }
}
