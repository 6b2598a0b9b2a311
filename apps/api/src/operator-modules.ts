import type { Type } from '@nestjs/common';
import { ApiKeysOperatorModule } from './api-keys/api-keys.operator.module.js';
import { AuditOperatorModule } from './audit/audit.operator.module.js';
import { CustomersOperatorModule } from './customers/customers.operator.module.js';
import { EventsOperatorModule } from './events/events.operator.module.js';
import { HealthOperatorModule } from './health/health.operator.module.js';
import { IdentityProvidersOperatorModule } from './identity-providers/identity-providers.operator.module.js';
import { ImportsOperatorModule } from './imports/imports.operator.module.js';
import { MailTemplatesOperatorModule } from './mail-templates/mail-templates.operator.module.js';
import { MailOperatorModule } from './mail/mail.operator.module.js';
import { OperatorRoutesModule } from './operators/operator-routes.module.js';
import { OrganizationsOperatorModule } from './organizations/organizations.operator.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { PagesOperatorModule } from './pages/pages.operator.module.js';
import { ProjectsOperatorModule } from './projects/projects.operator.module.js';
import { SearchOperatorModule } from './search/search.operator.module.js';
import { SessionsOperatorModule } from './sessions/sessions.operator.module.js';
import { WebhooksOperatorModule } from './webhooks/webhooks.operator.module.js';

/** Modules for `/operator/v1`, the console's API. They are loaded only if the console is enabled. */
export const operatorModules: Type[] = [
  ApiKeysOperatorModule,
  AuditOperatorModule,
  CustomersOperatorModule,
  EventsOperatorModule,
  HealthOperatorModule,
  IdentityProvidersOperatorModule,
  ImportsOperatorModule,
  MailOperatorModule,
  MailTemplatesOperatorModule,
  OperatorRoutesModule,
  OrganizationsOperatorModule,
  OverviewModule,
  PagesOperatorModule,
  ProjectsOperatorModule,
  SearchOperatorModule,
  SessionsOperatorModule,
  WebhooksOperatorModule,
];
