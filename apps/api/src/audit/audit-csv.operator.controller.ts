import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentCaller, Operator, type ManagementCaller } from '@gatehouse/auth';
import { BulkMemory } from '../http/bodies/bulk-memory.js';
import { STREAM_BYTES } from '../http/bodies/request-memory.js';
import { AuditCsvService } from './audit-csv.service.js';
import { CountAuditLogQuery } from './dto/audit-log.request.js';

@ApiTags('Operators')
@Controller('operator/v1/audit-log.csv')
export class AuditCsvOperatorController {
  constructor(private readonly csv: AuditCsvService) {}

  @Get()
  @ApiOperation({
    operationId: 'auditLog.exportCsv',
    summary: 'Export the audit log as CSV',
    description: 'Newest first, at most 100,000 entries.',
  })
  @Operator('viewer')
  @BulkMemory(STREAM_BYTES)
  @ApiOkResponse({
    description:
      'The first line contains the column names. If entries are missing, the first column of the last line contains a note. ' +
      'If the connection closes before the response is complete, the export is incomplete.',
    content: { 'text/csv': { schema: { type: 'string' } } },
  })
  async download(
    @CurrentCaller() caller: ManagementCaller,
    @Query() query: CountAuditLogQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    response
      .status(200)
      .setHeader('Content-Type', 'text/csv; charset=utf-8; header=present')
      .setHeader('Content-Disposition', 'attachment; filename="audit-log.csv"');
    if (request.method === 'HEAD') response.end();
    else await this.csv.stream(caller, query, response);
  }
}
