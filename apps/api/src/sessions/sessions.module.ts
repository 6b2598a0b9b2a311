import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { CustomerSessionsController } from './customer-sessions.controller.js';
import { MeSessionsController } from './me-sessions.controller.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [AccountsModule, AuditModule],
  controllers: [CustomerSessionsController, MeSessionsController],
  providers: [SessionsService],
  exports: [SessionsService],
})
export class SessionsModule {}
