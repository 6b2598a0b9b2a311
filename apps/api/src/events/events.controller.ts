import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { ApiSnakeItem, ApiSnakeList } from '../http/lists/api-envelopes.js';
import { snakeItem, snakeList } from '../http/lists/paging.js';
import { ReadsFromReplica } from '../http/replica-reads.interceptor.js';
import { ListEventsQuery } from './dto/event.request.js';
import { EventResponse, FeedEventResponse } from './dto/event.response.js';
import { EventsService } from './events.service.js';

@ApiTags('Events')
@Controller('v1/events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @ReadsFromReplica()
  @ApiOperation({
    operationId: 'events.list',
    summary: 'List events',
    description:
      'Oldest first. `next_cursor` is never null: use it later to read new events. Events are stored for `WEBHOOK_RETENTION`; an older cursor continues with the oldest stored event.',
  })
  @SecretKey('event:read')
  @ApiSnakeList(FeedEventResponse)
  async list(@CurrentCaller() caller: ManagementCaller, @Query() query: ListEventsQuery) {
    const { events, nextCursor, hasMore } = await this.events.list(caller, query);
    const withBody = query.include_body === 'true';
    const data = events.map((event) => FeedEventResponse.fromFeed(event, withBody));
    return { ...snakeList(data, nextCursor), has_more: hasMore };
  }

  @Get(':eventId')
  @ApiOperation({ operationId: 'events.get', summary: 'Get an event' })
  @SecretKey('event:read')
  @ApiSnakeItem(EventResponse)
  async get(@CurrentCaller() caller: ManagementCaller, @Param('eventId') id: string) {
    return snakeItem(EventResponse.from(await this.events.get(caller, id)));
  }
}
