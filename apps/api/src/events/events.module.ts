import { Module } from '@nestjs/common';
import { CustomEventsController } from './custom-events.controller.js';
import { CustomEventsService } from './custom-events.service.js';
import { EventTypesController } from './event-types.controller.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

@Module({
  controllers: [CustomEventsController, EventTypesController, EventsController],
  providers: [CustomEventsService, EventsService],
  exports: [EventsService],
})
export class EventsModule {}
