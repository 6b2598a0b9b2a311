import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { HttpModule } from '../http/http.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { ImportLinesService } from './import-lines.service.js';
import { ImportRequestsService } from './import-requests.service.js';
import { ImportWriterService } from './import-writer.service.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';

@Module({
  imports: [AuditModule, HttpModule, PasswordsModule],
  controllers: [ImportsController],
  providers: [ImportLinesService, ImportRequestsService, ImportWriterService, ImportsService],
})
export class ImportsModule {}
