import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuthModule } from '@gatehouse/auth';
import { PersistenceModule } from '@gatehouse/persistence';
import { PlatformModule, type Config, type Logger } from '@gatehouse/platform';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { AuditModule } from './audit/audit.module.js';
import { BillingModule } from './billing/billing.module.js';
import { BootstrapModule } from './bootstrap/bootstrap.module.js';
import { CustomersModule } from './customers/customers.module.js';
import { EmailCodesModule } from './email-codes/email-codes.module.js';
import { EmailModule } from './email/email.module.js';
import { EventsModule } from './events/events.module.js';
import { ProbesModule } from './health/probes.module.js';
import { HttpModule } from './http/http.module.js';
import { IdempotencyInterceptor } from './http/idempotency/idempotency.interceptor.js';
import { ReplicaReadsInterceptor } from './http/replica-reads.interceptor.js';
import { RequestLanguages } from './http/request-languages.js';
import { RequestMemoryInterceptor } from './http/bodies/request-memory.interceptor.js';
import { IdentityProvidersModule } from './identity-providers/identity-providers.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { MailTemplatesModule } from './mail-templates/mail-templates.module.js';
import { MailModule } from './mail/mail.module.js';
import { OneTimeTokensModule } from './one-time-tokens/one-time-tokens.module.js';
import { operatorModules } from './operator-modules.js';
import { OrganizationsModule } from './organizations/organizations.module.js';
import { ErrorDocsModule } from './pages/error-docs.module.js';
import { PagesModule } from './pages/pages.module.js';
import { SignInPageModule } from './pages/sign-in/sign-in-page.module.js';
import { PasswordsModule } from './passwords/passwords.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { ReferenceModule } from './reference/reference.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SignInExchangesModule } from './sign-in-exchanges/sign-in-exchanges.module.js';
import { SignInMethodsModule } from './sign-in/sign-in-methods.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/**
 * Modules of the public API. Express matches routes in this order, so the modules with the most requests come first.
 */
export const publicModules: Type[] = [
  SignInModule,
  SignInExchangesModule,
  CustomersModule,
  SignInMethodsModule,
  HttpModule,
  ProbesModule,
  SessionsModule,
  EventsModule,
  WebhooksModule,
  PasswordsModule,
  EmailModule,
  EmailCodesModule,
  IdentityProvidersModule,
  OneTimeTokensModule,
  ImportsModule,
  PagesModule,
  SignInPageModule,
  BillingModule,
  MailModule,
  MailTemplatesModule,
  AuditModule,
  ProjectsModule,
  OrganizationsModule,
  ApiKeysModule,
  BootstrapModule,
];

/** Root module of the API process. */
@Module({
  providers: [
    // Order matters: a rejected action is recorded after the request's transaction has been rolled back, and the
    // memory of the request stays reserved until all of this is done.
    { provide: APP_INTERCEPTOR, useExisting: RequestMemoryInterceptor },
    { provide: APP_INTERCEPTOR, useExisting: AuditInterceptor },
    { provide: APP_INTERCEPTOR, useExisting: IdempotencyInterceptor },
    { provide: APP_INTERCEPTOR, useExisting: RequestLanguages },
    { provide: APP_INTERCEPTOR, useClass: ReplicaReadsInterceptor },
  ],
})
export class ApiModule {
  static forRoot(config: Config, logger: Logger): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        PlatformModule.forRoot(config, logger),
        PersistenceModule,
        AuthModule,
        ...publicModules,
        ...(config.docs ? [ErrorDocsModule, ReferenceModule] : []),
        ...(config.console ? operatorModules : []),
      ],
    };
  }
}
