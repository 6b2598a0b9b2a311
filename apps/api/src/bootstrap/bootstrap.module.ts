import { Module } from '@nestjs/common';
import { clockAndHostMonitorProvider } from '@gatehouse/persistence';
import { AuditModule } from '../audit/audit.module.js';
import { CustomersModule } from '../customers/customers.module.js';
import { ProbesModule } from '../health/probes.module.js';
import { HttpModule } from '../http/http.module.js';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module.js';
import { OperatorsModule } from '../operators/operators.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { ApiHeartbeat } from './api-heartbeat.js';
import { FirstBoot } from './first-boot.js';
import { FirstKeysService } from './first-keys.service.js';
import { FirstOperator } from './first-operator.js';
import { PasswordResetMailsService } from './password-reset-mails.service.js';
import { ReencryptionService } from './reencryption.service.js';
import { StartupService } from './startup.service.js';
import { UnreadableRecordsService } from './unreadable-records.service.js';

@Module({
  imports: [
    AuditModule,
    CustomersModule,
    HttpModule,
    IdentityProvidersModule,
    OperatorsModule,
    PasswordsModule,
    ProbesModule,
  ],
  providers: [
    ApiHeartbeat,
    FirstBoot,
    FirstKeysService,
    FirstOperator,
    PasswordResetMailsService,
    ReencryptionService,
    StartupService,
    UnreadableRecordsService,
    clockAndHostMonitorProvider('api'),
  ],
})
export class BootstrapModule {}
