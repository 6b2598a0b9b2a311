import { Module } from '@nestjs/common';
import { BillingCustomersRepository } from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { AuditModule } from '../audit/audit.module.js';
import { BillingPortal } from './billing-portal.js';
import { BillingController } from './billing.controller.js';
import { BillingService } from './billing.service.js';
import { BuiltInBilling } from './built-in-billing.js';
import { StripeBilling } from './stripe-billing.js';

@Module({
  imports: [AuditModule],
  controllers: [BillingController],
  providers: [
    BillingService,
    BuiltInBilling,
    {
      provide: BillingPortal,
      useFactory: (
        { billing, production }: Config,
        builtIn: BuiltInBilling,
        customers: BillingCustomersRepository,
        logger: Logger,
      ) => {
        const { stripeKey } = billing;
        if (stripeKey) return StripeBilling.load({ ...billing, stripeKey }, customers, logger);
        return production ? null : builtIn;
      },
      inject: [Config, BuiltInBilling, BillingCustomersRepository, LOGGER],
    },
  ],
  exports: [BillingService],
})
export class BillingModule {}
