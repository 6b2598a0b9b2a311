import { Module } from '@nestjs/common';
import { SearchModule } from '../search/search.module.js';
import { EventSearch } from './event-search.service.js';
import { EventTypesOperatorController } from './event-types.operator.controller.js';
import { EventsModule } from './events.module.js';
import { EventsOperatorController } from './events.operator.controller.js';

@Module({
  imports: [EventsModule, SearchModule],
  controllers: [EventTypesOperatorController, EventsOperatorController],
  providers: [EventSearch],
})
export class EventsOperatorModule {}
