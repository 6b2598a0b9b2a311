import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { BillingModule } from '../billing/billing.module.js';
import { HttpModule } from '../http/http.module.js';
import { MailModule } from '../mail/mail.module.js';
import { AlertLogService } from './alert-log.service.js';
import { HealthOperatorController } from './health.operator.controller.js';
import { HealthService } from './health.service.js';
import { TestMailsService } from './test-mails.service.js';

@Module({
  imports: [AuditModule, BillingModule, HttpModule, MailModule],
  controllers: [HealthOperatorController],
  providers: [AlertLogService, HealthService, TestMailsService],
})
export class HealthOperatorModule {}
