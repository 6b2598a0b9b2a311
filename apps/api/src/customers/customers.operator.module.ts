import { Module } from '@nestjs/common';
import { CustomerCsvOperatorController } from './customer-csv.operator.controller.js';
import { CustomerFactorsOperatorController } from './customer-factors.operator.controller.js';
import { CustomerIdentitiesOperatorController } from './customer-identities.operator.controller.js';
import { CustomerMailsOperatorController } from './customer-mails.operator.controller.js';
import { AuditModule } from '../audit/audit.module.js';
import { CustomerTimelineOperatorController } from './customer-timeline.operator.controller.js';
import { CustomerTimelineService } from './customer-timeline.service.js';
import { CustomersModule } from './customers.module.js';
import { CustomersOperatorController } from './customers.operator.controller.js';

@Module({
  imports: [AuditModule, CustomersModule],
  controllers: [
    // Registered before the controller whose `:customerId` would also match its path.
    CustomerCsvOperatorController,
    CustomerFactorsOperatorController,
    CustomerIdentitiesOperatorController,
    CustomerMailsOperatorController,
    CustomersOperatorController,
    CustomerTimelineOperatorController,
  ],
  providers: [CustomerTimelineService],
})
export class CustomersOperatorModule {}
