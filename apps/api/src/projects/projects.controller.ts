import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, OrganizationKey, SecretKey, type ManagingCaller } from '#auth';
import { pathUuid } from '#domain';
import { ApiCamelList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { camelList } from '../http/paging.js';
import { CreateProjectRequest, ListProjectsQuery, UpdateProjectRequest } from './dto/project.request.js';
import { ProjectResponse } from './dto/project.response.js';
import { ProjectsService } from './projects.service.js';

@ApiTags('Projects')
@Controller('api/v1/projects')
export class ProjectsController {
  constructor(protected readonly projects: ProjectsService) {}

  /** The projects of the key's organization and of those it created, newest first; for a project key as well. */
  @Get()
  @SecretKey('project:read')
  @ApiCamelList(ProjectResponse)
  async list(@CurrentCaller() caller: ManagingCaller, @Query() query: ListProjectsQuery) {
    const { items, nextCursor } = await this.projects.list(caller, query);
    return camelList(
      items.map((project) => ProjectResponse.from(project)),
      nextCursor,
    );
  }

  /** Creates a project. It has no keys yet. */
  @Post()
  @OrganizationKey('project:write')
  @ApiCreatedResponse({ type: ProjectResponse })
  @ApiProblems('not_found', 'slug_taken')
  async create(@CurrentCaller() caller: ManagingCaller, @Body() body: CreateProjectRequest) {
    return ProjectResponse.from(await this.projects.create(caller, body));
  }

  /** One project, with all of its settings as they are in force. */
  @Get(':projectId')
  @SecretKey('project:read')
  @ApiOkResponse({ type: ProjectResponse })
  async get(@CurrentCaller() caller: ManagingCaller, @Param('projectId') id: string) {
    return ProjectResponse.from(await this.projects.get(caller, pathUuid(id)));
  }

  /** Changes the fields that are sent; null brings a setting back to its default (RFC 7396). */
  @Patch(':projectId')
  @OrganizationKey('project:write')
  @ApiOkResponse({ type: ProjectResponse })
  @ApiProblems('project_archived')
  async update(
    @CurrentCaller() caller: ManagingCaller,
    @Param('projectId') id: string,
    @Body() body: UpdateProjectRequest,
  ) {
    return ProjectResponse.from(await this.projects.update(caller, pathUuid(id), body));
  }

  /**
   * Archives a project: its keys and its customers' tokens end at once, its data stays until it is erased. It cannot
   * be undone. An organization key still lists, reads, exports and deletes the customers, and changes nothing else.
   */
  @Post(':projectId/archive')
  @HttpCode(200)
  @OrganizationKey('project:write')
  @ApiOkResponse({ type: ProjectResponse })
  @ApiProblems('own_project', 'last_organization_key')
  async archive(@CurrentCaller() caller: ManagingCaller, @Param('projectId') id: string) {
    return ProjectResponse.from(await this.projects.archive(caller, pathUuid(id)));
  }
}
