import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EmailModule } from '../email/email.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { CustomerMailsOperatorController } from './customer-mails.operator.controller.js';
import { CustomerMailsService } from './customer-mails.service.js';
import { CustomersModule } from './customers.module.js';
import { CustomersOperatorController } from './customers.operator.controller.js';

@Module({
  imports: [AuditModule, CustomersModule, EmailModule, MailModule, OneTimeTokensModule, PasswordsModule],
  controllers: [CustomerMailsOperatorController, CustomersOperatorController],
  providers: [CustomerMailsService],
})
export class CustomersOperatorModule {}
