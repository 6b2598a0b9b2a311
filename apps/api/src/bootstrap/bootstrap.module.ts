import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { HttpModule } from '../http/http.module.js';
import { OperatorsModule } from '../operators/operators.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { ApiHeartbeat } from './api-heartbeat.js';
import { FirstBoot } from './first-boot.js';
import { FirstKeysService } from './first-keys.service.js';
import { FirstOperator } from './first-operator.js';
import { ReencryptionService } from './reencryption.service.js';
import { StartupService } from './startup.service.js';

@Module({
  imports: [AuditModule, HttpModule, OperatorsModule, PasswordsModule],
  providers: [ApiHeartbeat, FirstBoot, FirstKeysService, FirstOperator, ReencryptionService, StartupService],
})
export class BootstrapModule {}
