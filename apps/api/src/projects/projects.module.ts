import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { RunningApisModule } from '../running-apis/running-apis.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { ProjectExportController } from './project-export.controller.js';
import { ProjectExportService } from './project-export.service.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsService } from './projects.service.js';
import { SettingsChecksService } from './settings-checks.service.js';

@Module({
  imports: [AuditModule, PasswordsModule, RunningApisModule, SignInModule],
  controllers: [ProjectExportController, ProjectsController],
  providers: [ProjectExportService, ProjectsService, SettingsChecksService],
  exports: [ProjectsService],
})
export class ProjectsModule {}
