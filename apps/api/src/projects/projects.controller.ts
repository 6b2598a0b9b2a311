import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, OrganizationKey, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { ETag } from '../http/preconditions/entity-tag.js';
import { IfMatch, Precondition } from '../http/preconditions/precondition.js';
import { camelList } from '../http/lists/paging.js';
import { CreateProjectRequest, ListProjectsQuery, UpdateProjectRequest } from './dto/project.request.js';
import { ListedProjectResponse, ProjectResponse } from './dto/project.response.js';
import { ProjectsService } from './projects.service.js';

@ApiTags('Projects')
@Controller('api/v1/projects')
export class ProjectsController {
  constructor(protected readonly projects: ProjectsService) {}

  @Get()
  @ApiOperation({
    operationId: 'projects.list',
    summary: 'List projects',
    description:
      "Returns the projects of the key's organization and of the organizations that it created, newest first. For projects other than its own, a key with `project` access receives `id`, `name`, `slug` and `environment`; the other fields are null.",
  })
  @SecretKey('project:read')
  @ApiCamelList(ListedProjectResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: ListProjectsQuery) {
    const { items, nextCursor } = await this.projects.list(caller, query);
    return camelList(
      items.map((project) => ListedProjectResponse.within(caller.accessScope, project)),
      nextCursor,
    );
  }

  @Post()
  @ApiOperation({
    operationId: 'projects.create',
    summary: 'Create a project',
    description: 'The new project has no API keys.',
  })
  @OrganizationKey('project:write')
  @ApiCreatedResponse({ type: ProjectResponse })
  @ApiProblems('not_found', 'slug_taken', 'conflict')
  async create(@CurrentCaller() caller: ManagementCaller, @Body() body: CreateProjectRequest) {
    return ProjectResponse.from(await this.projects.create(caller, body));
  }

  @Get(':projectId')
  @ApiOperation({
    operationId: 'projects.get',
    summary: 'Get a project',
    description: 'Returns all settings with their effective values.',
  })
  @SecretKey('project:read')
  @ETag()
  @ApiOkResponse({ type: ProjectResponse })
  async get(@CurrentCaller() caller: ManagementCaller, @Param('projectId') id: string) {
    return ProjectResponse.from(await this.projects.get(caller, parsePathUuid(id)));
  }

  @Patch(':projectId')
  @ApiOperation({
    operationId: 'projects.update',
    summary: 'Update a project',
    description:
      'Changes only the fields in the request (JSON Merge Patch, RFC 7396). `null` resets a setting to its default.',
  })
  @OrganizationKey('project:write')
  @ETag()
  @ApiOkResponse({ type: ProjectResponse })
  @ApiProblems('project_archived', 'conflict')
  async update(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') id: string,
    @Body() body: UpdateProjectRequest,
    @IfMatch() precondition: Precondition,
  ) {
    return ProjectResponse.from(await this.projects.update(caller, parsePathUuid(id), body, precondition));
  }

  @Post(':projectId/archive')
  @ApiOperation({
    operationId: 'projects.archive',
    summary: 'Archive a project',
    description:
      'Cannot be undone. The API keys and tokens of the project stop working immediately. Its data is not deleted. A key with `organization` access can still list, read, export and delete the customers, but cannot change the project, its settings, keys or customers. Such a key can also still change, disable and recover the webhook endpoints, and redeliver deliveries. Webhooks are not stopped: earlier events and `project.archived` are delivered and retried as usual, and so is `customer.deleted` for later deletions. To stop webhooks, disable the endpoints.',
  })
  @HttpCode(200)
  @OrganizationKey('project:write')
  @ApiOkResponse({ type: ProjectResponse })
  @ApiProblems('own_project', 'last_organization_key')
  async archive(@CurrentCaller() caller: ManagementCaller, @Param('projectId') id: string) {
    return ProjectResponse.from(await this.projects.archive(caller, parsePathUuid(id)));
  }
}
