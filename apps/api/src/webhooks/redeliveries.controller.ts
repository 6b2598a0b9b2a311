import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathId } from '@gatehouse/domain';
import { ApiSnakeItem, ApiSnakeList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { PageQuery, snakeItem, snakeList } from '../http/lists/paging.js';
import { PlanRedeliveryRequest, RecoverRequest, StartRedeliveryRequest } from './dto/redelivery.request.js';
import { RedeliveryResponse } from './dto/redelivery.response.js';
import { RecoveryService } from './recovery.service.js';
import { RedeliveriesService } from './redeliveries.service.js';

@ApiTags('Webhook redeliveries')
@Controller('v1/webhooks')
export class RedeliveriesController {
  constructor(
    protected readonly redeliveries: RedeliveriesService,
    private readonly recovery: RecoveryService,
  ) {}

  @Post('redeliveries')
  @ApiOperation({
    operationId: 'redeliveries.plan',
    summary: 'Plan a bulk redelivery',
    description:
      'Selects all deliveries that match the filter, at most 100,000, and returns their count. The selection does not change later. Nothing is delivered until the plan is started. The plan expires after 24 hours.',
  })
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(RedeliveryResponse, ApiCreatedResponse)
  @ApiProblems('not_found')
  async plan(@CurrentCaller() caller: ManagementCaller, @Body() body: PlanRedeliveryRequest) {
    return snakeItem(RedeliveryResponse.from(await this.redeliveries.plan(caller, body.filter)));
  }

  @Get('redeliveries')
  @ApiOperation({
    operationId: 'redeliveries.list',
    summary: 'List bulk redeliveries and recoveries',
    description: 'Newest first.',
  })
  @SecretKey('webhook:read')
  @ApiSnakeList(RedeliveryResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: PageQuery) {
    const { items, nextCursor } = await this.redeliveries.list(caller, query);
    return snakeList(
      items.map((batch) => RedeliveryResponse.from(batch)),
      nextCursor,
    );
  }

  @Get('redeliveries/:redeliveryId')
  @ApiOperation({
    operationId: 'redeliveries.get',
    summary: 'Get a bulk redelivery or recovery',
    description: 'Returns the plan and its progress.',
  })
  @SecretKey('webhook:read')
  @ApiSnakeItem(RedeliveryResponse)
  async get(@CurrentCaller() caller: ManagementCaller, @Param('redeliveryId') id: string) {
    return snakeItem(
      RedeliveryResponse.from(await this.redeliveries.get(caller, parsePathId('redelivery', id))),
    );
  }

  @Post('redeliveries/:redeliveryId/start')
  @ApiOperation({
    operationId: 'redeliveries.start',
    summary: 'Start a bulk redelivery',
    description:
      'Each endpoint receives at most 100 deliveries per second, with lower priority than new events. Deliveries that can no longer be redelivered are skipped. With `enable_endpoint`, disabled endpoints are enabled first, which also requires the `webhook:write` scope. Does nothing if it is already running.',
  })
  @HttpCode(200)
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(RedeliveryResponse)
  @ApiProblems('conflict')
  async start(
    @CurrentCaller() caller: ManagementCaller,
    @Param('redeliveryId') id: string,
    @Body() body: StartRedeliveryRequest,
  ) {
    const batch = await this.redeliveries.start(caller, parsePathId('redelivery', id), body);
    return snakeItem(RedeliveryResponse.from(batch));
  }

  @Post('redeliveries/:redeliveryId/cancel')
  @ApiOperation({
    operationId: 'redeliveries.cancel',
    summary: 'Cancel a bulk redelivery',
    description:
      'Creates no further deliveries. Pending deliveries continue. Does nothing if it is already canceled.',
  })
  @HttpCode(200)
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(RedeliveryResponse)
  @ApiProblems('conflict')
  async cancel(@CurrentCaller() caller: ManagementCaller, @Param('redeliveryId') id: string) {
    return snakeItem(
      RedeliveryResponse.from(await this.redeliveries.cancel(caller, parsePathId('redelivery', id))),
    );
  }

  @Post('endpoints/:endpointId/recover')
  @ApiOperation({
    operationId: 'webhookEndpoints.recover',
    summary: 'Recover missed events',
    description:
      'Delivers every event since the given time that the endpoint subscribes to, unless a delivery of the event to this endpoint has succeeded or is pending. Returns the bulk redelivery, which has already started. Returns 503 `unavailable` while an older write transaction is open on the same PostgreSQL server, even in another database; retry later.',
  })
  @HttpCode(202)
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(RedeliveryResponse, ApiAcceptedResponse)
  @ApiProblems('endpoint_disabled')
  async recover(
    @CurrentCaller() caller: ManagementCaller,
    @Param('endpointId') id: string,
    @Body() body: RecoverRequest,
  ) {
    const batch = await this.recovery.recover(caller, parsePathId('endpoint', id), body);
    return snakeItem(RedeliveryResponse.from(batch));
  }
}
