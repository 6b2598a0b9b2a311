import { Module } from '@nestjs/common';
import { CustomerMailsOperatorController } from './customer-mails.operator.controller.js';
import { CustomersModule } from './customers.module.js';
import { CustomersOperatorController } from './customers.operator.controller.js';

@Module({
  imports: [CustomersModule],
  controllers: [CustomerMailsOperatorController, CustomersOperatorController],
})
export class CustomersOperatorModule {}
