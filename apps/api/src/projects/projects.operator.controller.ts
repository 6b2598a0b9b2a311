import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { CountResponse } from '../http/lists/count.response.js';
import { PickRoutes } from '../http/pick-routes.js';
import { CountProjectsQuery, SearchProjectsQuery } from './dto/project.request.js';
import { ProjectResponse } from './dto/project.response.js';
import { ProjectsController } from './projects.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/projects')
@OperatorRoutes()
export class ProjectsOperatorController extends PickRoutes(ProjectsController, [
  'list',
  'create',
  'get',
  'update',
  'archive',
]) {
  @Get()
  @ApiOperation({
    operationId: 'projects.list',
    summary: 'List projects',
    description: 'Returns all projects of this installation, newest first.',
  })
  @Operator('viewer')
  @ApiCamelList(ProjectResponse)
  override list(@CurrentCaller() caller: ManagementCaller, @Query() query: SearchProjectsQuery) {
    return super.list(caller, query);
  }

  @Get('count')
  @ApiOperation({ operationId: 'projects.count', summary: 'Count projects' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountProjectsQuery) {
    return CountResponse.from(await this.projects.count(caller, query));
  }
}
