import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ChangeRecordsModule } from '../change-records/change-records.module.js';
import { EmailModule } from '../email/email.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { RunningApisModule } from '../running-apis/running-apis.module.js';
import { CustomerChangesService } from './customer-changes.service.js';
import { CustomerCsvService } from './customer-csv.service.js';
import { CustomerDirectoryService } from './customer-directory.service.js';
import { CustomerExportService } from './customer-export.service.js';
import { CustomerFactorsController } from './customer-factors.controller.js';
import { CustomerFactorsService } from './customer-factors.service.js';
import { CustomerIdentitiesController } from './customer-identities.controller.js';
import { CustomerIdentitiesService } from './customer-identities.service.js';
import { CustomerMailsController } from './customer-mails.controller.js';
import { CustomerMailsService } from './customer-mails.service.js';
import { CustomersController } from './customers.controller.js';
import { CustomersService } from './customers.service.js';
import { MeController } from './me.controller.js';
import { MeFactorsController } from './me-factors.controller.js';
import { MeFactorsService } from './me-factors.service.js';
import { MePasskeysController } from './me-passkeys.controller.js';
import { MePasskeysService } from './me-passkeys.service.js';

/** The services that other modules use. */
const services = [
  CustomerChangesService,
  CustomerCsvService,
  CustomerDirectoryService,
  CustomerExportService,
  CustomerFactorsService,
  CustomerIdentitiesService,
  CustomerMailsService,
  CustomersService,
];

@Module({
  imports: [
    AccountsModule,
    AuditModule,
    ChangeRecordsModule,
    EmailModule,
    FactorsModule,
    IdentitiesModule,
    MailModule,
    OneTimeTokensModule,
    PasskeysModule,
    PasswordsModule,
    RunningApisModule,
  ],
  controllers: [
    MeController,
    MeFactorsController,
    MePasskeysController,
    CustomerFactorsController,
    CustomerIdentitiesController,
    CustomerMailsController,
    CustomersController,
  ],
  providers: [...services, MeFactorsService, MePasskeysService],
  exports: services,
})
export class CustomersModule {}
