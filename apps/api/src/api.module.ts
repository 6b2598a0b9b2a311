import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AuthModule, CredentialGuard } from '#auth';
import { PersistenceModule } from '#persistence';
import {
  Config,
  HashThreads,
  Keyring,
  LOGGER,
  PasswordHasher,
  PlatformModule,
  RateLimiter,
  type Logger,
} from '#platform';
import { FirstBoot } from './bootstrap/first-boot.js';
import { StartupService } from './bootstrap/startup.service.js';
import { CustomersController } from './customers/customers.controller.js';
import { CustomersService } from './customers/customers.service.js';
import { MeController } from './customers/me.controller.js';
import { HealthController } from './http/health.controller.js';
import { IdempotencyInterceptor } from './http/idempotency.interceptor.js';
import { InputPipe } from './http/input.pipe.js';
import { OriginGuard } from './http/origin.guard.js';
import { ProblemFilter } from './http/problem.filter.js';
import { RateLimitGuard } from './http/rate-limit.js';
import { Readiness } from './http/readiness.js';
import { StrayInputGuard } from './http/stray-input.guard.js';
import { AuthController } from './identity/auth.controller.js';
import { BreachLookup } from './identity/breach-lookup.js';
import { EmailChangeService } from './identity/email-change.service.js';
import { EmailController } from './identity/email.controller.js';
import { JwksController } from './identity/jwks.controller.js';
import { LoginService } from './identity/login.service.js';
import { OneTimeLinks } from './identity/one-time-links.service.js';
import { PasswordChangeService } from './identity/password-change.service.js';
import { PasswordCheck } from './identity/password-check.service.js';
import { PasswordController } from './identity/password.controller.js';
import { PasswordPolicy } from './identity/password-policy.service.js';
import { PasswordResetService } from './identity/password-reset.service.js';
import { RefreshService } from './identity/refresh.service.js';
import { RegistrationService } from './identity/registration.service.js';
import { VerificationService } from './identity/verification.service.js';
import { MailQuota } from './mail/mail-quota.service.js';
import { MailboxController } from './mail/mailbox.controller.js';
import { MailboxService } from './mail/mailbox.service.js';
import { ConfirmEmailChangePage } from './pages/confirm-email-change.page.js';
import { ErrorDocsController } from './pages/error-docs.controller.js';
import { ResetPasswordPage } from './pages/reset-password.page.js';
import { VerifyEmailPage } from './pages/verify-email.page.js';
import { ProjectsController } from './projects/projects.controller.js';
import { ProjectsService } from './projects/projects.service.js';
import { CustomerSessionsController } from './sessions/customer-sessions.controller.js';
import { MeSessionsController } from './sessions/me-sessions.controller.js';
import { SessionOpener } from './sessions/session-opener.service.js';
import { SessionsService } from './sessions/sessions.service.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { DeliveriesService } from './webhooks/deliveries.service.js';
import { WebhookEndpointsController } from './webhooks/webhook-endpoints.controller.js';
import { WebhookEndpointsService } from './webhooks/webhook-endpoints.service.js';

@Module({
  controllers: [
    AuthController,
    ConfirmEmailChangePage,
    CustomerSessionsController,
    CustomersController,
    DeliveriesController,
    EmailController,
    ErrorDocsController,
    HealthController,
    JwksController,
    MailboxController,
    MeController,
    MeSessionsController,
    PasswordController,
    ProjectsController,
    ResetPasswordPage,
    VerifyEmailPage,
    WebhookEndpointsController,
  ],
  providers: [
    BreachLookup,
    CustomersService,
    DeliveriesService,
    EmailChangeService,
    FirstBoot,
    LoginService,
    MailQuota,
    MailboxService,
    OneTimeLinks,
    PasswordChangeService,
    PasswordCheck,
    PasswordPolicy,
    PasswordResetService,
    ProjectsService,
    Readiness,
    RefreshService,
    RegistrationService,
    SessionOpener,
    SessionsService,
    StartupService,
    VerificationService,
    WebhookEndpointsService,
    {
      provide: HashThreads,
      useFactory: (config: Config) => new HashThreads(config.passwords.threads, config.passwords.cost),
      inject: [Config],
    },
    {
      provide: PasswordHasher,
      useFactory: (threads: HashThreads, keyring: Keyring, config: Config) =>
        new PasswordHasher(threads, keyring, config.passwords.cost),
      inject: [HashThreads, Keyring, Config],
    },
    {
      provide: RateLimiter,
      useFactory: (config: Config, logger: Logger) => new RateLimiter(config.redisUrl, logger),
      inject: [Config, LOGGER],
    },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useClass: InputPipe },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    // In this order: who calls, from where, how often, with what (contract, section 2).
    { provide: APP_GUARD, useExisting: CredentialGuard },
    { provide: APP_GUARD, useClass: OriginGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: StrayInputGuard },
  ],
})
export class ApiModule {
  static for(config: Config, logger: Logger): DynamicModule {
    return {
      module: ApiModule,
      imports: [PlatformModule.for(config, logger), PersistenceModule, AuthModule],
    };
  }
}
