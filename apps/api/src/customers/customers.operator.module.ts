import { Module } from '@nestjs/common';
import { CustomerCsvOperatorController } from './customer-csv.operator.controller.js';
import { CustomerFactorsOperatorController } from './customer-factors.operator.controller.js';
import { CustomerIdentitiesOperatorController } from './customer-identities.operator.controller.js';
import { CustomerMailsOperatorController } from './customer-mails.operator.controller.js';
import { CustomersModule } from './customers.module.js';
import { CustomersOperatorController } from './customers.operator.controller.js';

@Module({
  imports: [CustomersModule],
  controllers: [
    // Before the controller whose path `:customerId` would match, too.
    CustomerCsvOperatorController,
    CustomerFactorsOperatorController,
    CustomerIdentitiesOperatorController,
    CustomerMailsOperatorController,
    CustomersOperatorController,
  ],
})
export class CustomersOperatorModule {}
