import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { parsePathId } from '@gatehouse/domain';
import type { RedeliveryBatch } from '@gatehouse/persistence';
import { ActorNamesService } from '../audit/actor-names.service.js';
import { ApiSnakeItem, ApiSnakeList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { CountResponse } from '../http/lists/count.response.js';
import { snakeItem, snakeList } from '../http/lists/paging.js';
import { PickRoutes } from '../http/pick-routes.js';
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
export class RedeliveriesOperatorController extends PickRoutes(RedeliveriesController, [
  'plan',
  'start',
  'cancel',
  'recover',
]) {
  constructor(
    redeliveries: RedeliveriesService,
    recovery: RecoveryService,
    private readonly actors: ActorNamesService,
  ) {
    super(redeliveries, recovery);
  }

  @Post('redeliveries')
  @ApiOperation({
    operationId: 'redeliveries.plan',
    summary: 'Plan a bulk redelivery',
    description:
      'Selects all deliveries that match the filter, at most 100,000, and returns their count. With `resolution` set to `waiting`, only dead letters that are neither redelivered nor discarded are selected. The selection does not change later. Nothing is delivered until the plan is started. The plan expires after 24 hours.',
  })
  @Operator('operator')
  @ApiSnakeItem(RedeliveryResponse, ApiCreatedResponse)
  @ApiProblems('not_found')
  override plan(@CurrentCaller() caller: ManagementCaller, @Body() body: PlanSearchedRedeliveryRequest) {
    return super.plan(caller, body);
  }

  @Get('redeliveries')
  @ApiOperation({
    operationId: 'redeliveries.list',
    summary: 'List bulk redeliveries and recoveries',
    description: 'Newest first.',
  })
  @Operator('viewer')
  @ApiSnakeList(NamedRedeliveryResponse)
  override async list(@CurrentCaller() caller: ManagementCaller, @Query() query: SearchRedeliveriesQuery) {
    const { items, nextCursor } = await this.redeliveries.list(caller, query);
    return snakeList(await this.addNames(items), nextCursor);
  }

  @Get('redeliveries/count')
  @ApiOperation({ operationId: 'redeliveries.count', summary: 'Count bulk redeliveries and recoveries' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountRedeliveriesQuery) {
    return CountResponse.from(await this.redeliveries.count(caller, query));
  }

  @Get('redeliveries/:redeliveryId')
  @ApiOperation({
    operationId: 'redeliveries.get',
    summary: 'Get a bulk redelivery or recovery',
    description: 'Returns the plan, its progress, and the operator or key that created it.',
  })
  @Operator('viewer')
  @ApiSnakeItem(NamedRedeliveryResponse)
  override async get(@CurrentCaller() caller: ManagementCaller, @Param('redeliveryId') id: string) {
    const batch = await this.redeliveries.get(caller, parsePathId('redelivery', id));
    return snakeItem((await this.addNames([batch]))[0]!);
  }

  private async addNames(batches: RedeliveryBatch[]): Promise<NamedRedeliveryResponse[]> {
    const actorKeys = batches.flatMap(({ createdBy, startedBy, cancelledBy }) => [
      createdBy,
      startedBy,
      cancelledBy,
    ]);
    const names = await this.actors.resolve(actorKeys);
    return batches.map((batch) => NamedRedeliveryResponse.withNames(batch, names));
  }
}
