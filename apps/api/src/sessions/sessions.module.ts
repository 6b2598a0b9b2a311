import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CustomerSessionsController } from './customer-sessions.controller.js';
import { MeSessionsController } from './me-sessions.controller.js';
import { SessionOpenerService } from './session-opener.service.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [AuditModule],
  controllers: [CustomerSessionsController, MeSessionsController],
  providers: [SessionOpenerService, SessionsService],
  exports: [SessionOpenerService, SessionsService],
})
export class SessionsModule {}
