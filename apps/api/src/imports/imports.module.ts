import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { HttpModule } from '../http/http.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { ImportedIdentitiesService } from './imported-identities.service.js';
import { ImportedPasskeysService } from './imported-passkeys.service.js';
import { ImportAccessService } from './import-access.service.js';
import { ImportDryRunsService } from './import-dry-runs.service.js';
import { ImportLinesService } from './import-lines.service.js';
import { ImportRequestsService } from './import-requests.service.js';
import { ImportWriterService } from './import-writer.service.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';

@Module({
  imports: [AuditModule, HttpModule, PasskeysModule, PasswordsModule],
  controllers: [ImportsController],
  providers: [
    ImportedIdentitiesService,
    ImportedPasskeysService,
    ImportAccessService,
    ImportDryRunsService,
    ImportLinesService,
    ImportRequestsService,
    ImportWriterService,
    ImportsService,
  ],
  exports: [ImportRequestsService],
})
export class ImportsModule {}
