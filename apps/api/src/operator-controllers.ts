import type { Type } from '@nestjs/common';
import { ApiKeysOperatorController } from './api-keys/api-keys.operator.controller.js';
import { AuditCsvOperatorController } from './audit/audit-csv.operator.controller.js';
import { AuditLogOperatorController } from './audit/audit-log.operator.controller.js';
import { CustomerMailsOperatorController } from './customers/customer-mails.operator.controller.js';
import { CustomersOperatorController } from './customers/customers.operator.controller.js';
import { EventTypesOperatorController } from './events/event-types.operator.controller.js';
import { EventsOperatorController } from './events/events.operator.controller.js';
import { HealthOperatorController } from './health/health.operator.controller.js';
import { MailboxOperatorController } from './mail/mailbox.operator.controller.js';
import { operatorParts } from './operators/operator-parts.js';
import { OrganizationsOperatorController } from './organizations/organizations.operator.controller.js';
import { OverviewController } from './overview/overview.controller.js';
import { ProjectsOperatorController } from './projects/projects.operator.controller.js';
import { SearchOperatorController } from './search/search.operator.controller.js';
import { CustomerSessionsOperatorController } from './sessions/customer-sessions.operator.controller.js';
import { DeadLettersOperatorController } from './webhooks/dead-letters.operator.controller.js';
import { DeliveriesOperatorController } from './webhooks/deliveries.operator.controller.js';
import { EndpointControlsOperatorController } from './webhooks/endpoint-controls.operator.controller.js';
import { RedeliveriesOperatorController } from './webhooks/redeliveries.operator.controller.js';
import { WebhookEndpointsOperatorController } from './webhooks/webhook-endpoints.operator.controller.js';

/** All of `/operator/v1`, which goes with the console: what operators may do, most of it what secret keys may. */
export const operatorControllers: Type[] = [
  ApiKeysOperatorController,
  AuditCsvOperatorController,
  AuditLogOperatorController,
  CustomerMailsOperatorController,
  CustomersOperatorController,
  EventTypesOperatorController,
  EventsOperatorController,
  HealthOperatorController,
  MailboxOperatorController,
  ...operatorParts.controllers,
  OrganizationsOperatorController,
  OverviewController,
  ProjectsOperatorController,
  SearchOperatorController,
  CustomerSessionsOperatorController,
  DeadLettersOperatorController,
  DeliveriesOperatorController,
  EndpointControlsOperatorController,
  RedeliveriesOperatorController,
  WebhookEndpointsOperatorController,
];
