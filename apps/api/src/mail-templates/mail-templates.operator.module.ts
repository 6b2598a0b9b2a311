import { Module } from '@nestjs/common';
import { MailTemplatesModule } from './mail-templates.module.js';
import { MailTemplatesOperatorController } from './mail-templates.operator.controller.js';

@Module({
  imports: [MailTemplatesModule],
  controllers: [MailTemplatesOperatorController],
})
export class MailTemplatesOperatorModule {}
