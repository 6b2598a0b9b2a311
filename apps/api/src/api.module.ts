import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
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
import { MeController } from './customers/me.controller.js';
import { ErrorDocsController } from './http/error-docs.controller.js';
import { HealthController } from './http/health.controller.js';
import { InputPipe } from './http/input.pipe.js';
import { OriginGuard } from './http/origin.guard.js';
import { ProblemFilter } from './http/problem.filter.js';
import { RateLimitGuard } from './http/rate-limit.js';
import { Readiness } from './http/readiness.js';
import { StrayQueryGuard } from './http/stray-query.guard.js';
import { AuthController } from './identity/auth.controller.js';
import { JwksController } from './identity/jwks.controller.js';
import { LoginService } from './identity/login.service.js';
import { RefreshService } from './identity/refresh.service.js';
import { RegistrationService } from './identity/registration.service.js';
import { SessionOpener } from './identity/session-opener.service.js';
import { VerificationService } from './identity/verification.service.js';
import { MailboxController } from './mail/mailbox.controller.js';
import { VerifyEmailPage } from './pages/verify-email.page.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { DeliveriesService } from './webhooks/deliveries.service.js';
import { WebhookEndpointsController } from './webhooks/webhook-endpoints.controller.js';
import { WebhookEndpointsService } from './webhooks/webhook-endpoints.service.js';

@Module({
  controllers: [
    AuthController,
    DeliveriesController,
    ErrorDocsController,
    HealthController,
    JwksController,
    MailboxController,
    MeController,
    VerifyEmailPage,
    WebhookEndpointsController,
  ],
  providers: [
    DeliveriesService,
    FirstBoot,
    LoginService,
    Readiness,
    RefreshService,
    RegistrationService,
    SessionOpener,
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
    // In this order: who calls, from where, how often, with what (contract, section 2).
    { provide: APP_GUARD, useExisting: CredentialGuard },
    { provide: APP_GUARD, useClass: OriginGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: StrayQueryGuard },
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
