import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type SecretKeyCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiProblems } from '../http/api-problems.js';
import { LateBodyGuard } from '../http/late-body.guard.js';
import type { HouseRequest } from '../http/request-context.js';
import { ImportCustomersRequest, ImportFailuresQuery, ImportQuery } from './dto/import.request.js';
import { ImportDetailResponse, ImportedListResponse } from './dto/import.response.js';
import { ImportRequests } from './import-requests.service.js';

const oneOf = (...models: (new () => object)[]) => ({
  oneOf: models.map((model) => ({ $ref: getSchemaPath(model) })),
});

@ApiTags('Imports')
@ApiExtraModels(ImportCustomersRequest, ImportDetailResponse, ImportedListResponse)
@Controller('api/v1')
export class ImportsController {
  constructor(private readonly imports: ImportRequests) {}

  /**
   * Imports customers: up to 1,000 as one JSON body, or any number as `application/x-ndjson`, one JSON object a line.
   * A list is answered with what became of each; lines with the import and those that made nobody.
   */
  @Post('customers/import')
  @HttpCode(200)
  @SecretKey('customer:write')
  @UseGuards(LateBodyGuard)
  @ApiConsumes('application/json', 'application/x-ndjson')
  @ApiBody({ schema: oneOf(ImportCustomersRequest) })
  @ApiOkResponse({ schema: oneOf(ImportedListResponse, ImportDetailResponse) })
  @ApiProblems('not_found', 'conflict', 'project_archived')
  import(
    @CurrentCaller() caller: SecretKeyCaller,
    @Query() query: ImportQuery,
    @Body() body: unknown,
    @Req() request: HouseRequest,
  ): Promise<ImportedListResponse | ImportDetailResponse> {
    return this.imports.run(caller, query, body, request);
  }

  /** How far an import has come, with the lines that made nobody. Kept for 30 days. */
  @Get('imports/:importId')
  @SecretKey('customer:write')
  @ApiOkResponse({ type: ImportDetailResponse })
  show(
    @CurrentCaller() { reach }: SecretKeyCaller,
    @Param('importId') id: string,
    @Query() query: ImportFailuresQuery,
  ): Promise<ImportDetailResponse> {
    return this.imports.show(reach, pathUuid(id), query);
  }
}
