import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AuthModule, CredentialGuard } from '#auth';
import { BillingCustomersRepository, PersistenceModule } from '#persistence';
import {
  ApiMetrics,
  Config,
  Failpoints,
  HashThreads,
  Keyring,
  LOGGER,
  Metrics,
  PasswordHasher,
  PlatformModule,
  RateLimiter,
  type Logger,
} from '#platform';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { ActorNames } from './audit/actor-names.service.js';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { AuditCsv } from './audit/audit-csv.service.js';
import { AuditLogController } from './audit/audit-log.controller.js';
import { AuditLogService } from './audit/audit-log.service.js';
import { AuditSearch } from './audit/audit-search.service.js';
import { Audit } from './audit/audit.service.js';
import { BillingPortal } from './billing/billing-portal.js';
import { BillingController } from './billing/billing.controller.js';
import { BillingService } from './billing/billing.service.js';
import { BuiltInBilling } from './billing/built-in-billing.js';
import { StripeBilling } from './billing/stripe-billing.js';
import { FirstBoot } from './bootstrap/first-boot.js';
import { FirstOperator } from './bootstrap/first-operator.js';
import { StartupService } from './bootstrap/startup.service.js';
import { CustomerChanges } from './customers/customer-changes.service.js';
import { CustomerDirectory } from './customers/customer-directory.service.js';
import { CustomerExport } from './customers/customer-export.service.js';
import { CustomerMails } from './customers/customer-mails.service.js';
import { CustomersController } from './customers/customers.controller.js';
import { CustomersService } from './customers/customers.service.js';
import { MeController } from './customers/me.controller.js';
import { EventTypesController } from './events/event-types.controller.js';
import { EventsController } from './events/events.controller.js';
import { EventSearch } from './events/event-search.service.js';
import { EventsService } from './events/events.service.js';
import { HealthService } from './health/health.service.js';
import { TestMails } from './health/test-mails.service.js';
import { HealthController } from './http/health.controller.js';
import { IdempotencyInterceptor } from './http/idempotency.interceptor.js';
import { IdempotencyService } from './http/idempotency.service.js';
import { InputPipe } from './http/input.pipe.js';
import { OriginGuard } from './http/origin.guard.js';
import { ProblemFilter } from './http/problem.filter.js';
import { RateLimitGuard } from './http/rate-limit.js';
import { Readiness } from './http/readiness.js';
import { StrayInputGuard } from './http/stray-input.guard.js';
import { ImportLines } from './imports/import-lines.service.js';
import { ImportRequests } from './imports/import-requests.service.js';
import { ImportWriter } from './imports/import-writer.service.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsService } from './imports/imports.service.js';
import { AuthController } from './sign-in/auth.controller.js';
import { BreachLookup } from './passwords/breach-lookup.js';
import { EmailChangeService } from './email/email-change.service.js';
import { EmailController } from './email/email.controller.js';
import { JwksController } from './sign-in/jwks.controller.js';
import { LoginService } from './sign-in/login.service.js';
import { OneTimeLinks } from './one-time-tokens/one-time-links.service.js';
import { VerifiedAddressService } from './one-time-tokens/verified-address.service.js';
import { PasswordChangeService } from './passwords/password-change.service.js';
import { PasswordCheck } from './passwords/password-check.service.js';
import { PasswordController } from './passwords/password.controller.js';
import { PasswordPolicy } from './passwords/password-policy.service.js';
import { PasswordResetService } from './passwords/password-reset.service.js';
import { RefreshController } from './sign-in/refresh.controller.js';
import { RefreshService } from './sign-in/refresh.service.js';
import { RegistrationService } from './sign-in/registration.service.js';
import { VerificationService } from './email/verification.service.js';
import { HouseMails } from './mail/house-mails.service.js';
import { MailQuota } from './mail/mail-quota.service.js';
import { MailboxController } from './mail/mailbox.controller.js';
import { MailboxService } from './mail/mailbox.service.js';
import { operatorControllers } from './operator-controllers.js';
import { operatorParts } from './operators/operator-parts.js';
import { OrganizationsController } from './organizations/organizations.controller.js';
import { OrganizationsService } from './organizations/organizations.service.js';
import { OverviewService } from './overview/overview.service.js';
import { BillingPortalPage } from './pages/billing-portal.page.js';
import { ConfirmEmailChangePage } from './pages/confirm-email-change.page.js';
import { ErrorDocsController } from './pages/error-docs.controller.js';
import { HomePage } from './pages/home.page.js';
import { ResetPasswordPage } from './pages/reset-password.page.js';
import { VerifyEmailPage } from './pages/verify-email.page.js';
import { ProjectExport } from './projects/project-export.service.js';
import { ProjectExportController } from './projects/project-export.controller.js';
import { ProjectsController } from './projects/projects.controller.js';
import { ProjectsService } from './projects/projects.service.js';
import { ReferenceController } from './reference/reference.controller.js';
import { NamedThings } from './search/named-things.service.js';
import { Search } from './search/search.service.js';
import { CustomerSessionsController } from './sessions/customer-sessions.controller.js';
import { MeSessionsController } from './sessions/me-sessions.controller.js';
import { SessionOpener } from './sessions/session-opener.service.js';
import { SessionsService } from './sessions/sessions.service.js';
import { DeadLettersController } from './webhooks/dead-letters.controller.js';
import { DeadLettersService } from './webhooks/dead-letters.service.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { DeliveriesService } from './webhooks/deliveries.service.js';
import { DeliveryChains } from './webhooks/delivery-chains.service.js';
import { DeliverySearch } from './webhooks/delivery-search.service.js';
import { EndpointControlsController } from './webhooks/endpoint-controls.controller.js';
import { EndpointControlsService } from './webhooks/endpoint-controls.service.js';
import { EndpointStatsService } from './webhooks/endpoint-stats.service.js';
import { RecoveryService } from './webhooks/recovery.service.js';
import { RedeliveriesController } from './webhooks/redeliveries.controller.js';
import { RedeliveriesService } from './webhooks/redeliveries.service.js';
import { WebhookEndpointsController } from './webhooks/webhook-endpoints.controller.js';
import { WebhookEndpointsService } from './webhooks/webhook-endpoints.service.js';

const controllers: Type[] = [
  ApiKeysController,
  AuditLogController,
  AuthController,
  BillingController,
  BillingPortalPage,
  ConfirmEmailChangePage,
  CustomerSessionsController,
  CustomersController,
  DeadLettersController,
  DeliveriesController,
  EmailController,
  EndpointControlsController,
  EventTypesController,
  EventsController,
  HealthController,
  HomePage,
  ImportsController,
  JwksController,
  MailboxController,
  MeController,
  MeSessionsController,
  OrganizationsController,
  PasswordController,
  ProjectExportController,
  ProjectsController,
  RedeliveriesController,
  RefreshController,
  ResetPasswordPage,
  VerifyEmailPage,
  WebhookEndpointsController,
];

@Module({
  controllers,
  providers: [
    ActorNames,
    ApiKeysService,
    Audit,
    AuditCsv,
    AuditLogService,
    AuditSearch,
    BillingService,
    BreachLookup,
    BuiltInBilling,
    CustomerChanges,
    CustomerDirectory,
    CustomerExport,
    CustomerMails,
    CustomersService,
    DeadLettersService,
    DeliveriesService,
    DeliveryChains,
    DeliverySearch,
    EmailChangeService,
    EndpointControlsService,
    EndpointStatsService,
    EventSearch,
    EventsService,
    FirstBoot,
    FirstOperator,
    HealthService,
    HouseMails,
    IdempotencyService,
    ImportLines,
    ImportRequests,
    ImportWriter,
    ImportsService,
    LoginService,
    MailQuota,
    MailboxService,
    NamedThings,
    OneTimeLinks,
    ...operatorParts.services,
    OrganizationsService,
    OverviewService,
    PasswordChangeService,
    PasswordCheck,
    PasswordPolicy,
    PasswordResetService,
    ProjectExport,
    ProjectsService,
    RecoveryService,
    RedeliveriesService,
    Readiness,
    RefreshService,
    RegistrationService,
    Search,
    SessionOpener,
    SessionsService,
    StartupService,
    TestMails,
    VerificationService,
    VerifiedAddressService,
    WebhookEndpointsService,
    {
      provide: ApiMetrics,
      useFactory: (metrics: Metrics | null) => metrics && new ApiMetrics(metrics),
      inject: [Metrics],
    },
    {
      provide: BillingPortal,
      useFactory: (
        { billing, production }: Config,
        builtIn: BuiltInBilling,
        customers: BillingCustomersRepository,
        logger: Logger,
      ) => {
        const { stripeKey } = billing;
        if (stripeKey) return StripeBilling.load({ ...billing, stripeKey }, customers, logger);
        return production ? null : builtIn;
      },
      inject: [Config, BuiltInBilling, BillingCustomersRepository, LOGGER],
    },
    {
      provide: HashThreads,
      useFactory: ({ passwords }: Config, metrics: ApiMetrics | null, failpoints: Failpoints) => {
        const threads = new HashThreads(passwords.threads, passwords.cost);
        threads.beforeTask = () => failpoints.pass('password.before-hash');
        metrics?.watchHashing(threads);
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
    {
      provide: RateLimiter,
      useFactory: (config: Config, logger: Logger) => new RateLimiter(config.redisUrl, logger),
      inject: [Config, LOGGER],
    },
    // In this order: a rejected action is recorded after the transaction of the request was rolled back.
    { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useClass: InputPipe },
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
      controllers: [
        ...(config.docs ? [ReferenceController, ErrorDocsController] : []),
        ...(config.console ? operatorControllers : []),
      ],
    };
  }
}
