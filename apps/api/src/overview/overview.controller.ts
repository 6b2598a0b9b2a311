import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type ManagementCaller } from '@gatehouse/auth';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { IdentityOverviewResponse } from './dto/identity-overview.response.js';
import { OverviewQuery } from './dto/overview.request.js';
import { OverviewResponse } from './dto/overview.response.js';
import { OverviewService } from './overview.service.js';

@ApiTags('Operators')
@Controller('operator/v1/overview')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'overview.get',
    summary: 'Get delivery metrics',
    description:
      'Returns metrics of one project or of all projects that the operator can access. Counts are exact; percentiles are accurate to one histogram bucket.',
  })
  @Operator('viewer')
  @ApiOkResponse({ type: OverviewResponse })
  async get(
    @CurrentCaller() caller: ManagementCaller,
    @Query() query: OverviewQuery,
  ): Promise<OverviewResponse> {
    return OverviewResponse.from(await this.overview.get(caller, query));
  }

  @Get('identity')
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'overview.getIdentity',
    summary: 'Get identity metrics',
    description:
      'Returns sign-ups, sign-ins, failed sign-ins and lockouts of one project or of all projects that the operator can access. Each event counts once.',
  })
  @Operator('viewer')
  @ApiOkResponse({ type: IdentityOverviewResponse })
  async getIdentity(
    @CurrentCaller() caller: ManagementCaller,
    @Query() query: OverviewQuery,
  ): Promise<IdentityOverviewResponse> {
    return IdentityOverviewResponse.from(await this.overview.getIdentity(caller, query));
  }
}
