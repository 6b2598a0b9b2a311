import { Module } from '@nestjs/common';
import { ApiMetrics, Config, Failpoints, HashThreads, Keyring, PasswordHasher } from '@gatehouse/platform';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { HttpModule } from '../http/http.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { MailModule } from '../mail/mail.module.js';
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js';
import { BreachLookup } from './breach-lookup.js';
import { PasswordChangeService } from './password-change.service.js';
import { PasswordCheckService } from './password-check.service.js';
import { PasswordPolicyService } from './password-policy.service.js';
import { PasswordResetService } from './password-reset.service.js';
import { PasswordVerificationService } from './password-verification.service.js';
import { PasswordController } from './password.controller.js';

@Module({
  imports: [
    AccountsModule,
    AuditModule,
    FactorsModule,
    HttpModule,
    IdentitiesModule,
    MailModule,
    OneTimeTokensModule,
  ],
  controllers: [PasswordController],
  providers: [
    BreachLookup,
    PasswordChangeService,
    PasswordCheckService,
    PasswordPolicyService,
    PasswordResetService,
    PasswordVerificationService,
    {
      provide: HashThreads,
      useFactory: ({ passwords }: Config, metrics: ApiMetrics | null, failpoints: Failpoints) => {
        const threads = new HashThreads(passwords.threads, passwords.cost, passwords.queueWait);
        threads.beforeTask = () => failpoints.waitIfHeld('password.before-hash');
        metrics?.instrumentHashThreads(threads);
        return threads;
      },
      inject: [Config, ApiMetrics, Failpoints],
    },
    {
      provide: PasswordHasher,
      useFactory: (threads: HashThreads, keyring: Keyring, config: Config) =>
        new PasswordHasher(threads, keyring, config.passwords.cost),
      inject: [HashThreads, Keyring, Config],
    },
  ],
  exports: [
    HashThreads,
    PasswordChangeService,
    PasswordCheckService,
    PasswordHasher,
    PasswordPolicyService,
    PasswordResetService,
    PasswordVerificationService,
  ],
})
export class PasswordsModule {}
