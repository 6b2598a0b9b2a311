import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentCaller, Operator, type OperatorCaller } from '@gatehouse/auth';
import { STREAM_BYTES } from '../http/bodies/request-memory.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { BulkMemory } from '../http/bodies/bulk-memory.js';
import { CustomerCsvService } from './customer-csv.service.js';
import { CountOperatorCustomersQuery } from './dto/list-customers.request.js';

@ApiTags('Operators')
@Controller('operator/v1/customers/export')
export class CustomerCsvOperatorController {
  constructor(private readonly csv: CustomerCsvService) {}

  @Get()
  @ApiOperation({
    operationId: 'customers.exportCsv',
    summary: 'Export customers as CSV',
    description:
      'Returns at most 1,000,000 customers, in the order of the list and without password hashes. Cells that a spreadsheet would interpret as a formula begin with an apostrophe.',
  })
  @Operator('operator')
  @BulkMemory(STREAM_BYTES)
  @ApiOkResponse({
    description:
      'The first line contains the column names. If customers are missing, the first column of the last line contains a note. ' +
      'If the connection closes before the response is complete, the export is incomplete.',
    content: { 'text/csv': { schema: { type: 'string' } } },
  })
  @ApiProblems('not_found')
  download(
    @CurrentCaller() caller: OperatorCaller,
    @Query() query: CountOperatorCustomersQuery,
    @Res() response: Response,
  ): Promise<void> {
    return this.csv.stream(caller, query, response);
  }
}
