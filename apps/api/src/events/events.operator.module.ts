import { Module } from '@nestjs/common';
import { SearchModule } from '../search/search.module.js';
import { EventSearchService } from './event-search.service.js';
import { EventTypesOperatorController } from './event-types.operator.controller.js';
import { EventsModule } from './events.module.js';
import { EventsOperatorController } from './events.operator.controller.js';

@Module({
  imports: [EventsModule, SearchModule],
  controllers: [EventTypesOperatorController, EventsOperatorController],
  providers: [EventSearchService],
})
export class EventsOperatorModule {}
