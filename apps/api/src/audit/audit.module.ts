import { Module } from '@nestjs/common';
import { ActorNamesService } from './actor-names.service.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { AuditService } from './audit.service.js';

@Module({
  controllers: [AuditLogController],
  providers: [ActorNamesService, AuditService, AuditInterceptor, AuditLogService],
  exports: [ActorNamesService, AuditService, AuditInterceptor],
})
export class AuditModule {}
