import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { SearchModule } from '../search/search.module.js';
import { AttemptsOperatorController } from './attempts.operator.controller.js';
import { DeadLettersOperatorController } from './dead-letters.operator.controller.js';
import { DeliveriesOperatorController } from './deliveries.operator.controller.js';
import { DeliveryChainsService } from './delivery-chains.service.js';
import { DeliverySearchService } from './delivery-search.service.js';
import { EndpointControlsOperatorController } from './endpoint-controls.operator.controller.js';
import { EndpointMetricsOperatorController } from './endpoint-metrics.operator.controller.js';
import { EndpointMetricsService } from './endpoint-metrics.service.js';
import { RedeliveriesOperatorController } from './redeliveries.operator.controller.js';
import { ReplaysOperatorController } from './replays.operator.controller.js';
import { ReplaysService } from './replays.service.js';
import { WebhookEndpointsOperatorController } from './webhook-endpoints.operator.controller.js';
import { WebhooksModule } from './webhooks.module.js';

@Module({
  imports: [AuditModule, SearchModule, WebhooksModule],
  controllers: [
    AttemptsOperatorController,
    DeadLettersOperatorController,
    DeliveriesOperatorController,
    EndpointControlsOperatorController,
    EndpointMetricsOperatorController,
    RedeliveriesOperatorController,
    ReplaysOperatorController,
    WebhookEndpointsOperatorController,
  ],
  providers: [DeliveryChainsService, DeliverySearchService, EndpointMetricsService, ReplaysService],
})
export class WebhooksOperatorModule {}
