import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { SecretKey } from '@gatehouse/auth';
import {
  ALL_CUSTOM_EVENTS,
  customEventCause,
  customEventExample,
  customEventSchema,
  eventExamples,
  eventSchema,
  eventTypes,
  requiresNamedSubscription,
  type EventType,
} from '@gatehouse/domain';
import { ApiSnakeList } from '../http/lists/api-envelopes.js';
import { snakeList } from '../http/lists/paging.js';
import { EventTypeResponse } from './dto/event.response.js';

const types: EventTypeResponse[] = (Object.keys(eventTypes) as EventType[]).map((type) => ({
  type,
  description: `Emitted when ${eventTypes[type].cause}`,
  named_only: requiresNamedSubscription(type),
  schema: eventSchema(type),
  example: { ...eventExamples[type] },
}));

const customTypes: EventTypeResponse = {
  type: ALL_CUSTOM_EVENTS,
  description: `Emitted when ${customEventCause}`,
  named_only: false,
  schema: customEventSchema,
  example: { ...customEventExample },
};

@ApiTags('Events')
@Controller('v1/webhooks/event-types')
export class EventTypesController {
  @Get()
  @ApiOperation({
    operationId: 'eventTypes.list',
    summary: 'List event types',
    description:
      'Returns all types on one page, each with the JSON Schema of its body and an example. The last entry, `app.*`, stands for the custom types that your servers send.',
  })
  @SecretKey('webhook:read')
  @ApiSnakeList(EventTypeResponse)
  list() {
    return snakeList([...types, customTypes], null);
  }
}
