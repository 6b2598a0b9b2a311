import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, type ManagementCaller } from '@gatehouse/auth';
import { parsePathId } from '@gatehouse/domain';
import { ApiSnakeItem } from '../http/lists/api-envelopes.js';
import { snakeItem } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { EndpointMetricsQuery } from './dto/endpoint-metrics.request.js';
import { EndpointMetricsResponse } from './dto/endpoint-metrics.response.js';
import { EndpointMetricsService } from './endpoint-metrics.service.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks/endpoints')
export class EndpointMetricsOperatorController {
  constructor(private readonly metrics: EndpointMetricsService) {}

  @Get(':endpointId/metrics')
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'webhookEndpoints.getMetrics',
    summary: "Get an endpoint's delivery metrics",
    description: 'Counts are exact; percentiles are accurate to one histogram bucket.',
  })
  @Operator('viewer')
  @ApiSnakeItem(EndpointMetricsResponse)
  async get(
    @CurrentCaller() caller: ManagementCaller,
    @Param('endpointId') id: string,
    @Query() query: EndpointMetricsQuery,
  ) {
    return snakeItem(
      EndpointMetricsResponse.from(await this.metrics.get(caller, parsePathId('endpoint', id), query)),
    );
  }
}
