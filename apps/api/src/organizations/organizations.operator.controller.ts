import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagingCaller } from '#auth';
import { ApiCamelList } from '../http/api-envelopes.js';
import { CountResponse } from '../http/count.response.js';
import { CountOrganizationsQuery, SearchOrganizationsQuery } from './dto/organization.request.js';
import { OrganizationResponse } from './dto/organization.response.js';
import { OrganizationsController } from './organizations.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/organizations')
@OperatorRoutes()
export class OrganizationsOperatorController extends OrganizationsController {
  /** The organizations of the house, newest first. */
  @Get()
  @Operator('viewer')
  @ApiCamelList(OrganizationResponse)
  override list(@CurrentCaller() caller: ManagingCaller, @Query() query: SearchOrganizationsQuery) {
    return super.list(caller, query);
  }

  /** How many organizations match. */
  @Get('count')
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagingCaller, @Query() query: CountOrganizationsQuery) {
    return CountResponse.from(await this.organizations.count(caller, query));
  }
}
