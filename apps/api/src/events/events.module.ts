import { Module } from '@nestjs/common';
import { EventTypesController } from './event-types.controller.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

@Module({
  controllers: [EventTypesController, EventsController],
  providers: [EventsService],
  exports: [EventsService],
})
export class EventsModule {}
