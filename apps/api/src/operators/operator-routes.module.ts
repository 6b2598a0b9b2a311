import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { OperatorAdmissionController } from './operator-admission.controller.js';
import { OperatorAdmission } from './operator-admission.service.js';
import { OperatorCheck } from './operator-check.service.js';
import { OperatorLogin } from './operator-login.service.js';
import { OperatorSessionController } from './operator-session.controller.js';
import { OperatorSessions } from './operator-sessions.service.js';
import { OperatorsController } from './operators.controller.js';
import { OperatorsModule } from './operators.module.js';
import { OperatorsService } from './operators.service.js';
import { SecondFactor } from './second-factor.service.js';

/** Routes by which operators sign in and manage each other. */
@Module({
  imports: [AuditModule, OperatorsModule, PasswordsModule],
  controllers: [OperatorAdmissionController, OperatorSessionController, OperatorsController],
  providers: [
    OperatorAdmission,
    OperatorCheck,
    OperatorLogin,
    OperatorSessions,
    OperatorsService,
    SecondFactor,
  ],
})
export class OperatorRoutesModule {}
