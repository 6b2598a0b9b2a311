import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { CustomersModule } from '../customers/customers.module.js';
import { HttpModule } from '../http/http.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { RunningApisModule } from '../running-apis/running-apis.module.js';
import { ImportedIdentitiesService } from './imported-identities.service.js';
import { ImportedPasskeysService } from './imported-passkeys.service.js';
import { ImportAdditionEventsService } from './import-addition-events.service.js';
import { ImportAdditionsService } from './import-additions.service.js';
import { ImportAccessService } from './import-access.service.js';
import { ImportDryRunsService } from './import-dry-runs.service.js';
import { ImportLinesService } from './import-lines.service.js';
import { ImportRequestsService } from './import-requests.service.js';
import { ImportUpdateEffectsService } from './import-update-effects.service.js';
import { ImportUpdatesService } from './import-updates.service.js';
import { ImportWriterService } from './import-writer.service.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';

@Module({
  imports: [
    AccountsModule,
    AuditModule,
    CustomersModule,
    HttpModule,
    PasskeysModule,
    PasswordsModule,
    RunningApisModule,
  ],
  controllers: [ImportsController],
  providers: [
    ImportedIdentitiesService,
    ImportedPasskeysService,
    ImportAccessService,
    ImportAdditionEventsService,
    ImportAdditionsService,
    ImportDryRunsService,
    ImportLinesService,
    ImportRequestsService,
    ImportUpdateEffectsService,
    ImportUpdatesService,
    ImportWriterService,
    ImportsService,
  ],
  exports: [ImportRequestsService],
})
export class ImportsModule {}
