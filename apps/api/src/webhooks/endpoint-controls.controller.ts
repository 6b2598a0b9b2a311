import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, MinimumRole, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathId } from '@gatehouse/domain';
import { webhookUserAgent } from '@gatehouse/platform';
import { ApiSnakeItem } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { snakeItem } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { DeliveryResponse } from './dto/delivery.response.js';
import { EndpointStatsQuery } from './dto/endpoint-stats.request.js';
import { EndpointStatsResponse } from './dto/endpoint-stats.response.js';
import { CreatedEndpointResponse, EndpointResponse } from './dto/webhook-endpoint.response.js';
import { EndpointControlsService } from './endpoint-controls.service.js';
import { EndpointStatsService } from './endpoint-stats.service.js';

@ApiTags('Webhook endpoints')
@Controller('v1/webhooks/endpoints')
export class EndpointControlsController {
  constructor(
    private readonly controls: EndpointControlsService,
    private readonly stats: EndpointStatsService,
  ) {}

  @Post(':endpointId/enable')
  @ApiOperation({
    operationId: 'webhookEndpoints.enable',
    summary: 'Enable a webhook endpoint',
    description:
      'Delivers the events that occur from now on. Does nothing if the endpoint is already enabled.',
  })
  @HttpCode(200)
  @SecretKey('webhook:write')
  @MinimumRole('operator')
  @ApiSnakeItem(EndpointResponse)
  async enable(@CurrentCaller() caller: ManagementCaller, @Param('endpointId') id: string) {
    return snakeItem(EndpointResponse.from(await this.controls.enable(caller, parsePathId('endpoint', id))));
  }

  @Post(':endpointId/disable')
  @ApiOperation({
    operationId: 'webhookEndpoints.disable',
    summary: 'Disable a webhook endpoint',
    description:
      'Cancels pending deliveries. Past deliveries remain in the delivery log. Events that occur while the endpoint is disabled are not delivered later. Does nothing if the endpoint is already disabled; `disabled_reason` stays unchanged.',
  })
  @HttpCode(200)
  @SecretKey('webhook:write')
  @MinimumRole('operator')
  @ApiSnakeItem(EndpointResponse)
  async disable(@CurrentCaller() caller: ManagementCaller, @Param('endpointId') id: string) {
    return snakeItem(EndpointResponse.from(await this.controls.disable(caller, parsePathId('endpoint', id))));
  }

  @Post(':endpointId/rotate-secret')
  @ApiOperation({
    operationId: 'webhookEndpoints.rotateSecret',
    summary: 'Rotate the signing secret',
    description:
      'The new secret is returned only in this response. For 24 hours, deliveries are signed with the previous secret as well: `webhook-signature` contains two signatures, the newer first. Another rotation within this time invalidates the oldest secret immediately.',
  })
  @HttpCode(200)
  @SecretKey('webhook:write')
  @ApiSnakeItem(CreatedEndpointResponse)
  async rotateSecret(@CurrentCaller() caller: ManagementCaller, @Param('endpointId') id: string) {
    return snakeItem(
      CreatedEndpointResponse.fromCreated(
        await this.controls.rotateSecret(caller, parsePathId('endpoint', id)),
      ),
    );
  }

  @Post(':endpointId/test')
  @ApiOperation({
    operationId: 'webhookEndpoints.sendTest',
    summary: 'Send a test event',
    description:
      'Sends a `webhook.test` event to this endpoint only, whether or not its `events` contain that type. Returns the delivery, which is signed, retried and logged like any other.',
  })
  @HttpCode(202)
  @SecretKey('webhook:write')
  @MinimumRole('operator')
  @ApiSnakeItem(DeliveryResponse, ApiAcceptedResponse)
  @ApiProblems('endpoint_disabled')
  async sendTestEvent(@CurrentCaller() caller: ManagementCaller, @Param('endpointId') id: string) {
    const { delivery, attempts } = await this.controls.sendTestEvent(caller, parsePathId('endpoint', id));
    return snakeItem(DeliveryResponse.from(delivery, attempts, webhookUserAgent));
  }

  @Get(':endpointId/stats')
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'webhookEndpoints.getStats',
    summary: "Get an endpoint's delivery statistics",
    description: 'If there are too many attempts, only the newest are counted, and `truncated` is true.',
  })
  @SecretKey('webhook:read')
  @ApiSnakeItem(EndpointStatsResponse)
  async getStats(
    @CurrentCaller() caller: ManagementCaller,
    @Param('endpointId') id: string,
    @Query() query: EndpointStatsQuery,
  ) {
    return snakeItem(
      EndpointStatsResponse.from(await this.stats.get(caller, parsePathId('endpoint', id), query)),
    );
  }
}
