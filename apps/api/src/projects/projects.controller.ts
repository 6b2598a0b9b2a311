import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, OrganizationKey, SecretKey, type SecretKeyCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiProblems } from '../http/api-problems.js';
import { UpdateProjectRequest } from './dto/project.request.js';
import { ProjectResponse } from './dto/project.response.js';
import { ProjectsService } from './projects.service.js';

@ApiTags('Projects')
@ApiBearerAuth('secretKey')
@Controller('api/v1/projects')
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  /** One project, with all of its settings as they are in force. */
  @Get(':projectId')
  @SecretKey('project:read')
  @ApiOkResponse({ type: ProjectResponse })
  @ApiProblems('invalid_api_key', 'wrong_credential_type', 'insufficient_scope', 'not_found')
  async get(@CurrentCaller() caller: SecretKeyCaller, @Param('projectId') id: string) {
    return ProjectResponse.from(await this.projects.get(caller, pathUuid(id)));
  }

  /** Changes the fields that are sent; null brings a setting back to its default (RFC 7396). */
  @Patch(':projectId')
  @OrganizationKey('project:write')
  @ApiOkResponse({ type: ProjectResponse })
  @ApiProblems(
    'validation_failed',
    'invalid_api_key',
    'wrong_credential_type',
    'insufficient_scope',
    'insufficient_access',
    'not_found',
  )
  async update(
    @CurrentCaller() caller: SecretKeyCaller,
    @Param('projectId') id: string,
    @Body() body: UpdateProjectRequest,
  ) {
    return ProjectResponse.from(await this.projects.update(caller, pathUuid(id), body));
  }
}
