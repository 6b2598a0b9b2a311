import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagingCaller } from '#auth';
import { ApiCamelList } from '../http/api-envelopes.js';
import { CountResponse } from '../http/count.response.js';
import { CountProjectsQuery, SearchProjectsQuery } from './dto/project.request.js';
import { ProjectResponse } from './dto/project.response.js';
import { ProjectsController } from './projects.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/projects')
@OperatorRoutes()
export class ProjectsOperatorController extends ProjectsController {
  /** The projects of the house, newest first. */
  @Get()
  @Operator('viewer')
  @ApiCamelList(ProjectResponse)
  override list(@CurrentCaller() caller: ManagingCaller, @Query() query: SearchProjectsQuery) {
    return super.list(caller, query);
  }

  /** How many projects match. */
  @Get('count')
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagingCaller, @Query() query: CountProjectsQuery) {
    return CountResponse.from(await this.projects.count(caller, query));
  }
}
