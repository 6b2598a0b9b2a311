import { Body, Controller, Post, Req, type RawBodyRequest } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type SecretKeyCaller } from '@gatehouse/auth';
import { snakeItemSchema, snakeListSchema } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { snakeItem, snakeList } from '../http/lists/paging.js';
import type { GatehouseRequest } from '../http/request-context.js';
import { MAX_CUSTOM_EVENTS, readCustomEvents } from './custom-events.js';
import { CustomEventsService } from './custom-events.service.js';
import { CustomEventRequest } from './dto/custom-event.request.js';
import { EventResponse } from './dto/event.response.js';

const event = { $ref: getSchemaPath(CustomEventRequest) };

@ApiTags('Events')
@ApiExtraModels(CustomEventRequest, EventResponse)
@Controller('v1/events')
export class CustomEventsController {
  constructor(private readonly events: CustomEventsService) {}

  @Post()
  @ApiOperation({
    operationId: 'events.create',
    summary: 'Send custom events',
    description: `Delivers an event of your own to the endpoints that subscribe to its type, to \`app.*\` or to \`*\`. Accepts one event or a list of up to ${MAX_CUSTOM_EVENTS}, which is recorded entirely or not at all. The response to a list contains the events in the same order.`,
  })
  @SecretKey('event:write')
  @ApiBody({
    schema: { oneOf: [event, { type: 'array', items: event, minItems: 1, maxItems: MAX_CUSTOM_EVENTS }] },
  })
  @ApiCreatedResponse({ schema: { oneOf: [snakeItemSchema(EventResponse), snakeListSchema(EventResponse)] } })
  @ApiProblems('not_found', 'project_archived')
  async create(
    @CurrentCaller() caller: SecretKeyCaller,
    @Body() body: unknown,
    @Req() { rawBody }: RawBodyRequest<GatehouseRequest>,
  ) {
    const events = await this.events.create(caller, readCustomEvents(body, rawBody));
    return Array.isArray(body) ? snakeList(events, null) : snakeItem(events[0]!);
  }
}
