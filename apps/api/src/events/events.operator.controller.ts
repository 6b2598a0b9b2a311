import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type ManagementCaller } from '@gatehouse/auth';
import { ApiSnakeList } from '../http/lists/api-envelopes.js';
import { CountResponse } from '../http/lists/count.response.js';
import { PageQuery, snakeList } from '../http/lists/paging.js';
import { PickRoutes } from '../http/pick-routes.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { DeliverySummaryResponse } from '../webhooks/dto/delivery.response.js';
import { CountEventsQuery, SearchEventsQuery } from './dto/event-search.request.js';
import { EventResponse } from './dto/event.response.js';
import { EventSearchService } from './event-search.service.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

@ApiTags('Operators')
@Controller('operator/v1/events')
@OperatorRoutes()
export class EventsOperatorController extends PickRoutes(EventsController, ['get']) {
  constructor(
    events: EventsService,
    private readonly search: EventSearchService,
  ) {
    super(events);
  }

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'events.list',
    summary: 'List events',
    description:
      'Newest first, unlike `GET /v1/events`. A page may contain fewer events than `limit`, or none, while `has_more` is true.',
  })
  @Operator('viewer')
  @ApiSnakeList(EventResponse)
  override async list(@CurrentCaller() caller: ManagementCaller, @Query() query: SearchEventsQuery) {
    const { items, nextCursor } = await this.search.list(caller, query);
    return snakeList(
      items.map((event) => EventResponse.from(event)),
      nextCursor,
    );
  }

  @Get('count')
  @ReadsFromReplica()
  @ApiOperation({ operationId: 'events.count', summary: 'Count events' })
  @Operator('viewer')
  @ApiOkResponse({ type: CountResponse })
  async count(@CurrentCaller() caller: ManagementCaller, @Query() query: CountEventsQuery) {
    return CountResponse.from(await this.search.count(caller, query));
  }

  @Get(':eventId/deliveries')
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'events.listDeliveries',
    summary: "List an event's deliveries",
    description: 'Newest first. Contains the deliveries to all endpoints, including redeliveries.',
  })
  @Operator('viewer')
  @ApiSnakeList(DeliverySummaryResponse)
  async listDeliveries(
    @CurrentCaller() caller: ManagementCaller,
    @Param('eventId') id: string,
    @Query() query: PageQuery,
  ) {
    const { items, nextCursor } = await this.search.listDeliveries(caller, id, query);
    return snakeList(
      items.map((delivery) => DeliverySummaryResponse.fromDelivery(delivery)),
      nextCursor,
    );
  }
}
