import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { IdentityProtocolsModule } from '../identity-providers/protocols/identity-protocols.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { RunningApisModule } from '../running-apis/running-apis.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { OidcAccountsService } from './oidc-accounts.service.js';
import { OidcFlowsService } from './oidc-flows.service.js';
import { OperatorAdmissionController } from './operator-admission.controller.js';
import { OperatorAdmissionService } from './operator-admission.service.js';
import { OperatorChangesService } from './operator-changes.service.js';
import { OperatorCheckService } from './operator-check.service.js';
import { OperatorLoginService } from './operator-login.service.js';
import { OperatorNoticesService } from './operator-notices.service.js';
import { OperatorPasskeysController } from './operator-passkeys.controller.js';
import { OperatorPasskeysService } from './operator-passkeys.service.js';
import { OperatorPreferencesController } from './operator-preferences.controller.js';
import { OperatorPreferencesService } from './operator-preferences.service.js';
import { OperatorSessionController } from './operator-session.controller.js';
import { OperatorSessionsService } from './operator-sessions.service.js';
import { OperatorOidcController } from './operator-oidc.controller.js';
import { OperatorsController } from './operators.controller.js';
import { OperatorsModule } from './operators.module.js';
import { OperatorsService } from './operators.service.js';
import { OidcSignInService } from './oidc-sign-in.service.js';
import { SecondFactorService } from './second-factor.service.js';

/** Routes for signing in and managing operators. */
@Module({
  imports: [
    AuditModule,
    FactorsModule,
    IdentityProtocolsModule,
    MailModule,
    OperatorsModule,
    PasswordsModule,
    RunningApisModule,
    SignInModule,
  ],
  controllers: [
    OperatorAdmissionController,
    OperatorOidcController,
    OperatorPasskeysController,
    OperatorPreferencesController,
    OperatorSessionController,
    OperatorsController,
  ],
  providers: [
    OidcAccountsService,
    OidcFlowsService,
    OidcSignInService,
    OperatorAdmissionService,
    OperatorChangesService,
    OperatorCheckService,
    OperatorLoginService,
    OperatorNoticesService,
    OperatorPasskeysService,
    OperatorPreferencesService,
    OperatorSessionsService,
    OperatorsService,
    SecondFactorService,
  ],
  exports: [OidcSignInService],
})
export class OperatorRoutesModule {}
