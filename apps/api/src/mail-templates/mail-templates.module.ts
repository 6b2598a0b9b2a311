import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { HttpModule } from '../http/http.module.js';
import { MailTemplatesController } from './mail-templates.controller.js';
import { MailTemplatesService } from './mail-templates.service.js';
import { MailTextsService } from './mail-texts.service.js';
import { MailWriterService } from './mail-writer.service.js';

@Module({
  imports: [AuditModule, HttpModule],
  controllers: [MailTemplatesController],
  providers: [MailTemplatesService, MailTextsService, MailWriterService],
  exports: [MailTemplatesService, MailWriterService],
})
export class MailTemplatesModule {}
