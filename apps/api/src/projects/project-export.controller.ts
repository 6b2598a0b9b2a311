import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentCaller, OrganizationKey, type SecretKeyCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { BulkMemory } from '../http/bodies/bulk-memory.js';
import { OneOfField } from '../http/input/fields.js';
import { STREAM_BYTES } from '../http/bodies/request-memory.js';
import { ProjectExportService } from './project-export.service.js';

class ExportQuery {
  @OneOfField(
    'If true, each line contains the passwordHash and the totpSecret, in a form that imports accept. Requires the `customer:export_hashes` scope. Default: false',
    ['true', 'false'],
  )
  hashes?: 'true' | 'false';
}

@ApiTags('Projects')
@Controller('api/v1/projects')
export class ProjectExportController {
  constructor(private readonly exports: ProjectExportService) {}

  @Get(':projectId/export')
  @ApiOperation({
    operationId: 'projects.exportCustomers',
    summary: "Export a project's customers",
    description: 'Oldest first, one JSON object per line, in the format that imports accept.',
  })
  @OrganizationKey('project:read', 'customer:read')
  @BulkMemory(STREAM_BYTES)
  @ApiOkResponse({
    description:
      'One customer per line. If the connection closes before the response is complete, the export is incomplete.',
    content: { 'application/x-ndjson': { schema: { type: 'string' } } },
  })
  async export(
    @CurrentCaller() caller: SecretKeyCaller,
    @Param('projectId') id: string,
    @Query() { hashes }: ExportQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const lines = await this.exports.open(caller, parsePathUuid(id), hashes === 'true');
    response.status(200).setHeader('Content-Type', 'application/x-ndjson; charset=utf-8');
    if (request.method === 'HEAD') response.end();
    else await this.exports.send(id, lines, response);
  }
}
