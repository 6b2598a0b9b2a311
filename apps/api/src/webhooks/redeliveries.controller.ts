import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagingCaller } from '#auth';
import { pathId } from '#domain';
import { ApiSnakeItem, ApiSnakeList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { PageQuery, snakeItem, snakeList } from '../http/paging.js';
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

  /**
   * Plans to redeliver everything that a filter finds, at most 100,000 deliveries: the answer counts them, and the set
   * stays as it is. Nothing is delivered before the plan is started, which must be within 24 hours.
   */
  @Post('redeliveries')
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(RedeliveryResponse, ApiCreatedResponse)
  @ApiProblems('not_found')
  async plan(@CurrentCaller() caller: ManagingCaller, @Body() body: PlanRedeliveryRequest) {
    return snakeItem(RedeliveryResponse.from(await this.redeliveries.plan(caller, body.filter)));
  }

  /** Bulk redeliveries and recoveries, newest first. */
  @Get('redeliveries')
  @SecretKey('webhook:read')
  @ApiSnakeList(RedeliveryResponse)
  async list(@CurrentCaller() caller: ManagingCaller, @Query() query: PageQuery) {
    const { items, nextCursor } = await this.redeliveries.list(caller, query);
    return snakeList(
      items.map((batch) => RedeliveryResponse.from(batch)),
      nextCursor,
    );
  }

  /** A bulk redelivery or recovery, and how far it has come. */
  @Get('redeliveries/:redeliveryId')
  @SecretKey('webhook:read')
  @ApiSnakeItem(RedeliveryResponse)
  async get(@CurrentCaller() caller: ManagingCaller, @Param('redeliveryId') id: string) {
    return snakeItem(RedeliveryResponse.from(await this.redeliveries.get(caller, pathId('redelivery', id))));
  }

  /**
   * Starts a plan. Each endpoint gets its deliveries little by little, at most 100 a second, after everything else that
   * is due. What can no longer be redelivered when its turn comes is skipped. Starting a running one changes nothing.
   */
  @Post('redeliveries/:redeliveryId/start')
  @HttpCode(200)
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(RedeliveryResponse)
  @ApiProblems('conflict')
  async start(
    @CurrentCaller() caller: ManagingCaller,
    @Param('redeliveryId') id: string,
    @Body() body: StartRedeliveryRequest,
  ) {
    const batch = await this.redeliveries.start(caller, pathId('redelivery', id), body.reason);
    return snakeItem(RedeliveryResponse.from(batch));
  }

  /**
   * Makes no more deliveries. Those that are pending go on as any other. Cancelling a cancelled one changes nothing.
   */
  @Post('redeliveries/:redeliveryId/cancel')
  @HttpCode(200)
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(RedeliveryResponse)
  @ApiProblems('conflict')
  async cancel(@CurrentCaller() caller: ManagingCaller, @Param('redeliveryId') id: string) {
    return snakeItem(
      RedeliveryResponse.from(await this.redeliveries.cancel(caller, pathId('redelivery', id))),
    );
  }

  /**
   * Delivers what this endpoint has missed since a time. That is every event which it hears and which has no succeeded or
   * pending delivery here: a bulk redelivery, which the answer shows, started already. 503 `unavailable`: a transaction
   * that writes stays open on the same PostgreSQL server, if only in another database of it; ask again.
   */
  @Post('endpoints/:endpointId/recover')
  @HttpCode(202)
  @SecretKey('webhook:redeliver')
  @ApiSnakeItem(RedeliveryResponse, ApiAcceptedResponse)
  @ApiProblems('endpoint_disabled')
  async recover(
    @CurrentCaller() caller: ManagingCaller,
    @Param('endpointId') id: string,
    @Body() body: RecoverRequest,
  ) {
    const batch = await this.recovery.recover(caller, pathId('endpoint', id), body);
    return snakeItem(RedeliveryResponse.from(batch));
  }
}
