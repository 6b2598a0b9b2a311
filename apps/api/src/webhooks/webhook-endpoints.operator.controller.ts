import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { parsePathId } from '@gatehouse/domain';
import { ApiSnakeItem, ApiSnakeList } from '../http/lists/api-envelopes.js';
import { CountResponse } from '../http/lists/count.response.js';
import { ETag } from '../http/preconditions/entity-tag.js';
import { snakeItem, snakeList } from '../http/lists/paging.js';
import { PickRoutes } from '../http/pick-routes.js';
import { CountEndpointsQuery, SearchEndpointsQuery } from './dto/webhook-endpoint.request.js';
import { OperatorEndpointResponse } from './dto/webhook-endpoint.response.js';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks/endpoints')
@OperatorRoutes()
export class WebhookEndpointsOperatorController extends PickRoutes(WebhookEndpointsController, [
  'create',
  'update',
  'delete',
]) {
  @Get()
  @ApiOperation({
    operationId: 'webhookEndpoints.list',
    summary: 'List webhook endpoints',
    description: 'Newest first.',
  })
  @Operator('viewer')
  @ApiSnakeList(OperatorEndpointResponse)
  override async list(@CurrentCaller() caller: ManagementCaller, @Query() query: SearchEndpointsQuery) {
    const { items, nextCursor } = await this.endpoints.list(caller, query);
    return snakeList(
      items.map((endpoint) => OperatorEndpointResponse.from(endpoint)),
      nextCursor,
    );
  }

  @Get('count')
  @ApiOperation({ operationId: 'webhookEndpoints.count', summary: 'Count webhook endpoints' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountEndpointsQuery) {
    return CountResponse.from(await this.endpoints.count(caller, query));
  }

  @Get(':endpointId')
  @ApiOperation({
    operationId: 'webhookEndpoints.get',
    summary: 'Get a webhook endpoint',
    description: 'Returns the endpoint with its organization and project.',
  })
  @Operator('viewer')
  @ETag({ immutable: ['organization_id'] })
  @ApiSnakeItem(OperatorEndpointResponse)
  override async get(@CurrentCaller() caller: ManagementCaller, @Param('endpointId') id: string) {
    const endpoint = await this.endpoints.get(caller, parsePathId('endpoint', id));
    return snakeItem(OperatorEndpointResponse.from(endpoint));
  }
}
