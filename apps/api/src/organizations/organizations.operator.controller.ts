import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { CountResponse } from '../http/lists/count.response.js';
import { PickRoutes } from '../http/pick-routes.js';
import { CountOrganizationsQuery, SearchOrganizationsQuery } from './dto/organization.request.js';
import { OrganizationResponse } from './dto/organization.response.js';
import { OrganizationsController } from './organizations.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/organizations')
@OperatorRoutes()
export class OrganizationsOperatorController extends PickRoutes(OrganizationsController, [
  'list',
  'create',
  'get',
  'update',
]) {
  @Get()
  @ApiOperation({
    operationId: 'organizations.list',
    summary: 'List organizations',
    description: 'Returns all organizations of this installation, newest first.',
  })
  @Operator('viewer')
  @ApiCamelList(OrganizationResponse)
  override list(@CurrentCaller() caller: ManagementCaller, @Query() query: SearchOrganizationsQuery) {
    return super.list(caller, query);
  }

  @Get('count')
  @ApiOperation({ operationId: 'organizations.count', summary: 'Count organizations' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountOrganizationsQuery) {
    return CountResponse.from(await this.organizations.count(caller, query));
  }
}
