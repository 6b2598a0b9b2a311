import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagingCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiCamelList } from '../http/api-envelopes.js';
import { CountResponse } from '../http/count.response.js';
import { camelList } from '../http/paging.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditSearch } from './audit-search.service.js';
import { NamedAuditEntryResponse } from './dto/audit-entry.response.js';
import { AuditLogQuery, CountAuditLogQuery } from './dto/audit-log.request.js';

@ApiTags('Operators')
@Controller('operator/v1/audit-log')
@OperatorRoutes()
export class AuditLogOperatorController extends AuditLogController {
  constructor(
    auditLog: AuditLogService,
    private readonly search: AuditSearch,
  ) {
    super(auditLog);
  }

  /**
   * Who did what to what, from where and when, newest first. A page may hold less than `limit`, even nothing, while
   * `hasMore` is true.
   */
  @Get()
  @Operator('viewer')
  @ApiCamelList(NamedAuditEntryResponse)
  override async list(@CurrentCaller() caller: ManagingCaller, @Query() query: AuditLogQuery) {
    const { items, nextCursor } = await this.search.list(caller, query);
    return camelList(
      items.map((entry) => NamedAuditEntryResponse.from(entry)),
      nextCursor,
    );
  }

  /** How many entries match. */
  @Get('count')
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagingCaller, @Query() query: CountAuditLogQuery) {
    return CountResponse.from(await this.search.count(caller, query));
  }

  /** One entry. */
  @Get(':entryId')
  @Operator('viewer')
  @ApiOkResponse({ type: NamedAuditEntryResponse })
  async show(@CurrentCaller() caller: ManagingCaller, @Param('entryId') id: string) {
    return NamedAuditEntryResponse.from(await this.search.get(caller, pathUuid(id)));
  }
}
