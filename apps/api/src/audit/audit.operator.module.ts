import { Module } from '@nestjs/common';
import { AuditCsvOperatorController } from './audit-csv.operator.controller.js';
import { AuditCsvService } from './audit-csv.service.js';
import { AuditLogOperatorController } from './audit-log.operator.controller.js';
import { AuditSearchService } from './audit-search.service.js';
import { AuditModule } from './audit.module.js';

@Module({
  imports: [AuditModule],
  controllers: [AuditCsvOperatorController, AuditLogOperatorController],
  providers: [AuditCsvService, AuditSearchService],
})
export class AuditOperatorModule {}
