import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { SearchModule } from '../search/search.module.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { DeadLettersService } from './dead-letters.service.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesService } from './deliveries.service.js';
import { EndpointControlsController } from './endpoint-controls.controller.js';
import { EndpointControlsService } from './endpoint-controls.service.js';
import { EndpointEnablerService } from './endpoint-enabler.service.js';
import { EndpointStatsService } from './endpoint-stats.service.js';
import { RecoveryService } from './recovery.service.js';
import { RedeliveriesController } from './redeliveries.controller.js';
import { RedeliveriesService } from './redeliveries.service.js';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

/** The services that other modules use. */
const services = [
  DeliveriesService,
  EndpointControlsService,
  EndpointStatsService,
  RecoveryService,
  RedeliveriesService,
  WebhookEndpointsService,
];

@Module({
  imports: [AuditModule, SearchModule],
  controllers: [
    DeadLettersController,
    DeliveriesController,
    EndpointControlsController,
    RedeliveriesController,
    WebhookEndpointsController,
  ],
  providers: [...services, DeadLettersService, EndpointEnablerService],
  exports: services,
})
export class WebhooksModule {}
