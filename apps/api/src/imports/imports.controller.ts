import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiProblems } from '../http/problems/api-problems.js';
import { DeferredBodyGuard } from './deferred-body.guard.js';
import type { GatehouseRequest } from '../http/request-context.js';
import { ImportCustomersRequest, ImportFailuresQuery, ImportQuery } from './dto/import.request.js';
import { ImportDetailResponse, ImportResultsResponse } from './dto/import.response.js';
import { ImportRequestsService } from './import-requests.service.js';

const oneOf = (...models: (new () => object)[]) => ({
  oneOf: models.map((model) => ({ $ref: getSchemaPath(model) })),
});

@ApiTags('Imports')
@ApiExtraModels(ImportCustomersRequest, ImportDetailResponse, ImportResultsResponse)
@Controller('api/v1')
export class ImportsController {
  constructor(private readonly imports: ImportRequestsService) {}

  @Post('customers/import')
  @ApiOperation({
    operationId: 'imports.create',
    summary: 'Import customers',
    description:
      'Accepts up to 1,000 customers as one JSON body, or any number as `application/x-ndjson` with one JSON object per line. For a JSON body, the response lists the result for each customer; for `application/x-ndjson`, it contains the import, the lines that did not create or update a customer, and the lines with omitted values. A value that is not accepted is omitted with a warning. If it is the email address, an id, a ban or an unknown field, the customer is rejected instead.',
  })
  @HttpCode(200)
  @SecretKey('customer:write')
  @UseGuards(DeferredBodyGuard)
  @ApiConsumes('application/json', 'application/x-ndjson')
  @ApiBody({ schema: oneOf(ImportCustomersRequest) })
  @ApiOkResponse({ schema: oneOf(ImportResultsResponse, ImportDetailResponse) })
  @ApiProblems('not_found', 'conflict', 'project_archived')
  import(
    @CurrentCaller() caller: ManagementCaller,
    @Query() query: ImportQuery,
    @Body() body: unknown,
    @Req() request: GatehouseRequest,
  ): Promise<ImportResultsResponse | ImportDetailResponse> {
    return this.imports.run(caller, query, body, request);
  }

  @Get('imports/:importId')
  @ApiOperation({
    operationId: 'imports.get',
    summary: "Get an import's progress and errors",
    description: 'Available for 30 days.',
  })
  @SecretKey('customer:write')
  @ApiOkResponse({ type: ImportDetailResponse })
  get(
    @CurrentCaller() { accessScope }: ManagementCaller,
    @Param('importId') id: string,
    @Query() query: ImportFailuresQuery,
  ): Promise<ImportDetailResponse> {
    return this.imports.get(accessScope, parsePathUuid(id), query);
  }
}
