import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { HttpModule } from '../http/http.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { ImportLines } from './import-lines.service.js';
import { ImportRequests } from './import-requests.service.js';
import { ImportWriter } from './import-writer.service.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';

@Module({
  imports: [AuditModule, HttpModule, PasswordsModule],
  controllers: [ImportsController],
  providers: [ImportLines, ImportRequests, ImportWriter, ImportsService],
})
export class ImportsModule {}
