import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagingCaller } from '#auth';
import { pathId } from '#domain';
import type { RedeliveryBatch } from '#persistence';
import { ActorNames } from '../audit/actor-names.service.js';
import { ApiSnakeItem, ApiSnakeList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { CountResponse } from '../http/count.response.js';
import { snakeItem, snakeList } from '../http/paging.js';
import {
  CountRedeliveriesQuery,
  PlanSearchedRedeliveryRequest,
  SearchRedeliveriesQuery,
} from './dto/delivery-search.request.js';
import { NamedRedeliveryResponse, RedeliveryResponse } from './dto/redelivery.response.js';
import { RecoveryService } from './recovery.service.js';
import { RedeliveriesController } from './redeliveries.controller.js';
import { RedeliveriesService } from './redeliveries.service.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks')
@OperatorRoutes()
export class RedeliveriesOperatorController extends RedeliveriesController {
  constructor(
    redeliveries: RedeliveriesService,
    recovery: RecoveryService,
    private readonly actors: ActorNames,
  ) {
    super(redeliveries, recovery);
  }

  /**
   * Plans to redeliver everything that a filter finds, at most 100,000 deliveries: the answer counts them, and the set
   * stays as it is. With `resolution` it is what the list of dead letters shows. Nothing is delivered before the plan is
   * started, which must be within 24 hours.
   */
  @Post('redeliveries')
  @Operator('operator')
  @ApiSnakeItem(RedeliveryResponse, ApiCreatedResponse)
  @ApiProblems('not_found')
  override plan(@CurrentCaller() caller: ManagingCaller, @Body() body: PlanSearchedRedeliveryRequest) {
    return super.plan(caller, body);
  }

  /** Bulk redeliveries and recoveries, newest first. */
  @Get('redeliveries')
  @Operator('viewer')
  @ApiSnakeList(NamedRedeliveryResponse)
  override async list(@CurrentCaller() caller: ManagingCaller, @Query() query: SearchRedeliveriesQuery) {
    const { items, nextCursor } = await this.redeliveries.list(caller, query);
    return snakeList(await this.named(items), nextCursor);
  }

  /** How many bulk redeliveries and recoveries match. */
  @Get('redeliveries/count')
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagingCaller, @Query() query: CountRedeliveriesQuery) {
    return CountResponse.from(await this.redeliveries.count(caller, query));
  }

  /** A bulk redelivery or recovery, how far it has come, and by whom. */
  @Get('redeliveries/:redeliveryId')
  @Operator('viewer')
  @ApiSnakeItem(NamedRedeliveryResponse)
  override async get(@CurrentCaller() caller: ManagingCaller, @Param('redeliveryId') id: string) {
    const batch = await this.redeliveries.get(caller, pathId('redelivery', id));
    return snakeItem((await this.named([batch]))[0]!);
  }

  private async named(batches: RedeliveryBatch[]): Promise<NamedRedeliveryResponse[]> {
    const acted = batches.flatMap(({ createdBy, startedBy, cancelledBy }) => [
      createdBy,
      startedBy,
      cancelledBy,
    ]);
    const names = await this.actors.of(acted);
    return batches.map((batch) => NamedRedeliveryResponse.named(batch, names));
  }
}
