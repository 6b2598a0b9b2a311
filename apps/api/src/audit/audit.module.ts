import { Module } from '@nestjs/common';
import { ActorNames } from './actor-names.service.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { Audit } from './audit.service.js';

@Module({
  controllers: [AuditLogController],
  providers: [ActorNames, Audit, AuditInterceptor, AuditLogService],
  exports: [ActorNames, Audit, AuditInterceptor],
})
export class AuditModule {}
