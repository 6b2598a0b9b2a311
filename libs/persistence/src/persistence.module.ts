import { Global, Module, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Config, DeliveryQueue, Failpoints, LOGGER, Metrics, type Logger } from '@gatehouse/platform';
import { AlertLogRepository } from './alerts/alert-log.repository.js';
import { AlertsRepository } from './alerts/alerts.repository.js';
import { ApiKeysRepository, type ActiveApiKey } from './api-keys/api-keys.repository.js';
import { ActorsRepository } from './audit/actors.repository.js';
import { AuditLogRepository } from './audit/audit-log.repository.js';
import { AuditSearchRepository } from './audit/audit-search.repository.js';
import { CustomerRecordsRepository } from './customer-data/customer-records.repository.js';
import { CustomerTimelineRepository } from './customer-data/customer-timeline.repository.js';
import { ErasuresRepository } from './customer-data/erasures.repository.js';
import { CustomerChangesRepository } from './customers/customer-changes.repository.js';
import { CustomerDirectoryRepository } from './customers/customer-directory.repository.js';
import { CustomerLocksRepository } from './customers/customer-locks.repository.js';
import { CustomersBulkRepository } from './customers/customers-bulk.repository.js';
import { CustomersRepository } from './customers/customers.repository.js';
import { createDataSource, poolOptions } from './database/data-source.js';
import { CredentialCache } from './database/credential-cache.js';
import { Database } from './database/database.js';
import { Transactions } from './database/transactions.js';
import { EmailCodesRepository } from './email-codes/email-codes.repository.js';
import { EncryptedValuesRepository } from './encryption/encrypted-values.repository.js';
import { EventFeedRepository } from './events/event-feed.repository.js';
import { EventSearchRepository } from './events/event-search.repository.js';
import { EventsRepository } from './events/events.repository.js';
import { ChallengesRepository } from './factors/challenges.repository.js';
import { FactorAttemptsRepository } from './factors/factor-attempts.repository.js';
import { FactorsRepository } from './factors/factors.repository.js';
import { ApisRepository } from './health/apis.repository.js';
import { BacklogRepository } from './health/backlog.repository.js';
import { PendingWorkRepository } from './health/pending-work.repository.js';
import { measureStatements, registerDatabaseMetrics } from './health/database-metrics.js';
import { DependencyHealth } from './health/dependency-health.js';
import { ProcessProblemsRepository } from './health/process-problems.repository.js';
import { SystemStatusRepository } from './health/system-status.repository.js';
import { WorkersRepository } from './health/workers.repository.js';
import { IdempotencyKeysRepository } from './idempotency/idempotency-keys.repository.js';
import { IdentitiesRepository } from './identity-providers/identities.repository.js';
import { IdentityProvidersRepository } from './identity-providers/identity-providers.repository.js';
import { OAuthFlowsRepository } from './identity-providers/oauth-flows.repository.js';
import { ProviderDomainsRepository } from './identity-providers/provider-domains.repository.js';
import { RequiredDomainsRepository } from './identity-providers/required-domains.repository.js';
import { ImportTargetsRepository } from './imports/import-targets.repository.js';
import { ImportsRepository } from './imports/imports.repository.js';
import { InstallationRepository } from './installation/installation.repository.js';
import { LegacySignInRepository } from './legacy-sign-in/legacy-sign-in.repository.js';
import { LoginAttemptsRepository } from './login-attempts/login-attempts.repository.js';
import { MailTemplatesRepository } from './mail-templates/mail-templates.repository.js';
import { MailLogRepository } from './mails/mail-log.repository.js';
import { MailsRepository } from './mails/mails.repository.js';
import { OneTimeTokensRepository } from './one-time-tokens/one-time-tokens.repository.js';
import { OperatorLinksRepository } from './operators/operator-links.repository.js';
import { OperatorLoginAttemptsRepository } from './operators/operator-login-attempts.repository.js';
import { OperatorPasskeysRepository } from './operators/operator-passkeys.repository.js';
import { OperatorPreferencesRepository } from './operators/operator-preferences.repository.js';
import { OperatorSessionsRepository } from './operators/operator-sessions.repository.js';
import { OperatorsRepository } from './operators/operators.repository.js';
import { BillingCustomersRepository } from './organizations/billing-customers.repository.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { AttemptMetricsRepository } from './overview/attempt-metrics.repository.js';
import { AttemptRollupsRepository } from './overview/attempt-rollups.repository.js';
import { IdentityMetricsRepository } from './overview/identity-metrics.repository.js';
import { IdentityRollupsRepository } from './overview/identity-rollups.repository.js';
import { PasskeyCeremoniesRepository } from './passkeys/passkey-ceremonies.repository.js';
import { PasskeysRepository } from './passkeys/passkeys.repository.js';
import { ProjectsRepository } from './projects/projects.repository.js';
import { LookupsRepository } from './search/lookups.repository.js';
import { SearchRepository } from './search/search.repository.js';
import { ReauthenticationCodesRepository } from './sessions/reauthentication-codes.repository.js';
import { SessionProofsRepository } from './sessions/session-proofs.repository.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { TokenSubjectsRepository } from './sessions/token-subjects.repository.js';
import { SignInExchangesRepository } from './sign-in-exchanges/sign-in-exchanges.repository.js';
import { SignInFlowsRepository } from './sign-in-flows/sign-in-flows.repository.js';
import { SignInTokensRepository } from './sign-in-tokens/sign-in-tokens.repository.js';
import { SigningKeysRepository } from './signing-keys/signing-keys.repository.js';
import { AttemptsRepository } from './webhooks/attempts.repository.js';
import { DeadLettersRepository } from './webhooks/dead-letters.repository.js';
import { DeliveriesRepository } from './webhooks/deliveries.repository.js';
import { DeliveryAnnouncer } from './webhooks/delivery-announcer.js';
import { DeliveryChainsRepository } from './webhooks/delivery-chains.repository.js';
import { DeliveryProcessingRepository } from './webhooks/delivery-processing.repository.js';
import { DeliveryRetentionRepository } from './webhooks/delivery-retention.repository.js';
import { DeliverySearchRepository } from './webhooks/delivery-search.repository.js';
import { EndpointHealthRepository } from './webhooks/endpoint-health.repository.js';
import { EndpointStatsRepository } from './webhooks/endpoint-stats.repository.js';
import { ReadyQueueRepository } from './webhooks/ready-queue.repository.js';
import { RedeliveryBatchesRepository } from './webhooks/redelivery-batches.repository.js';
import { RedeliveryProcessingRepository } from './webhooks/redelivery-processing.repository.js';
import { UnnotifiedDeadLettersRepository } from './webhooks/unnotified-dead-letters.repository.js';
import { WebhookEndpointsRepository } from './webhooks/webhook-endpoints.repository.js';
import { WebhookReplaysRepository } from './webhooks/webhook-replays.repository.js';

const repositories: Provider[] = [
  ActorsRepository,
  AlertLogRepository,
  AlertsRepository,
  ApisRepository,
  AttemptsRepository,
  AuditSearchRepository,
  BillingCustomersRepository,
  ChallengesRepository,
  CustomerChangesRepository,
  CustomerDirectoryRepository,
  CustomerLocksRepository,
  CustomerRecordsRepository,
  CustomerTimelineRepository,
  CustomersBulkRepository,
  CustomersRepository,
  DeadLettersRepository,
  DeliveryChainsRepository,
  DeliverySearchRepository,
  EncryptedValuesRepository,
  EndpointHealthRepository,
  EndpointStatsRepository,
  EmailCodesRepository,
  EventSearchRepository,
  ErasuresRepository,
  FactorAttemptsRepository,
  FactorsRepository,
  IdempotencyKeysRepository,
  IdentitiesRepository,
  IdentityProvidersRepository,
  ImportTargetsRepository,
  ImportsRepository,
  InstallationRepository,
  LegacySignInRepository,
  LoginAttemptsRepository,
  LookupsRepository,
  MailLogRepository,
  MailsRepository,
  MailTemplatesRepository,
  OAuthFlowsRepository,
  OneTimeTokensRepository,
  OperatorLinksRepository,
  OperatorLoginAttemptsRepository,
  OperatorPasskeysRepository,
  OperatorPreferencesRepository,
  OperatorSessionsRepository,
  OperatorsRepository,
  PasskeyCeremoniesRepository,
  PasskeysRepository,
  PendingWorkRepository,
  ProcessProblemsRepository,
  ProviderDomainsRepository,
  ReauthenticationCodesRepository,
  RedeliveryBatchesRepository,
  SearchRepository,
  SessionProofsRepository,
  SessionsRepository,
  SignInExchangesRepository,
  SignInFlowsRepository,
  SignInTokensRepository,
  SigningKeysRepository,
  SystemStatusRepository,
  TokenSubjectsRepository,
  WebhookEndpointsRepository,
  WorkersRepository,
].map((Repository) => ({
  provide: Repository,
  useFactory: (database: Database) => new Repository(database),
  inject: [Database],
}));

const providers: Provider[] = [
  { provide: CredentialCache, useFactory: () => new CredentialCache<ActiveApiKey>() },
  {
    provide: Database,
    useFactory: (config: Config, logger: Logger, source: DataSource) => new Database(config, logger, source),
    inject: [Config, LOGGER, DataSource],
  },
  {
    provide: BacklogRepository,
    useFactory: (database: Database, config: Config, metrics: Metrics | null) => {
      const backlog = new BacklogRepository(database, config.mail.smtpUrl !== null);
      if (metrics) registerDatabaseMetrics(metrics, database, backlog);
      return backlog;
    },
    inject: [Database, Config, Metrics],
  },
  {
    provide: DependencyHealth,
    useFactory: (
      database: Database,
      queue: DeliveryQueue | null,
      config: Config,
      backlog: BacklogRepository,
    ) => new DependencyHealth(database, queue, config, backlog),
    inject: [Database, DeliveryQueue, Config, BacklogRepository],
  },
  {
    provide: DeliveryAnnouncer,
    useFactory: (database: Database, queue: DeliveryQueue | null, config: Config, logger: Logger) =>
      new DeliveryAnnouncer(database, queue, config.webhooks.retrySchedule[0]!, logger),
    inject: [Database, DeliveryQueue, Config, LOGGER],
  },
  {
    provide: Transactions,
    useFactory: (database: Database, announcer: DeliveryAnnouncer, failpoints: Failpoints) =>
      new Transactions(database, announcer, failpoints),
    inject: [Database, DeliveryAnnouncer, Failpoints],
  },
  {
    provide: AuditLogRepository,
    useFactory: (database: Database, logger: Logger) => new AuditLogRepository(database, logger),
    inject: [Database, LOGGER],
  },
  ...[ApiKeysRepository, OrganizationsRepository, ProjectsRepository].map((Repository) => ({
    provide: Repository,
    useFactory: (database: Database, cache: CredentialCache<ActiveApiKey>) => new Repository(database, cache),
    inject: [Database, CredentialCache],
  })),
  ...[EventsRepository, RedeliveryProcessingRepository].map((Repository) => ({
    provide: Repository,
    useFactory: (config: Config) => new Repository(config.webhooks.retrySchedule[0]!),
    inject: [Config],
  })),
  {
    provide: DeliveriesRepository,
    useFactory: (database: Database, config: Config) =>
      new DeliveriesRepository(database, config.webhooks.retrySchedule[0]!),
    inject: [Database, Config],
  },
  RequiredDomainsRepository,
  UnnotifiedDeadLettersRepository,
  {
    provide: AttemptRollupsRepository,
    useFactory: (database: Database, transactions: Transactions, { webhooks }: Config) =>
      new AttemptRollupsRepository(database, transactions, webhooks.rollups.settlingTime, webhooks.retention),
    inject: [Database, Transactions, Config],
  },
  {
    provide: IdentityRollupsRepository,
    useFactory: (database: Database, transactions: Transactions, { webhooks }: Config) =>
      new IdentityRollupsRepository(database, transactions, webhooks.retention),
    inject: [Database, Transactions, Config],
  },
  {
    provide: DeliveryProcessingRepository,
    useFactory: (database: Database, config: Config, transactions: Transactions) =>
      new DeliveryProcessingRepository(database, config.webhooks.lease, transactions),
    inject: [Database, Config, Transactions],
  },
  ...[DeliveryRetentionRepository, EventFeedRepository].map((Repository) => ({
    provide: Repository,
    useFactory: (database: Database, transactions: Transactions) => new Repository(database, transactions),
    inject: [Database, Transactions],
  })),
  ...[AttemptMetricsRepository, IdentityMetricsRepository].map((Repository) => ({
    provide: Repository,
    useFactory: (transactions: Transactions, { webhooks }: Config) =>
      new Repository(transactions, webhooks.retention),
    inject: [Transactions, Config],
  })),
  ...[ReadyQueueRepository, WebhookReplaysRepository].map((Repository) => ({
    provide: Repository,
    useFactory: (database: Database, config: Config) => new Repository(database, config.webhooks.lease),
    inject: [Database, Config],
  })),
  ...repositories,
];

/** Provides every repository and `Transactions`, the only way to open a transaction. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      useFactory: (config: Config, logger: Logger, metrics: Metrics | null) => ({
        ...poolOptions(config, logger, metrics ? measureStatements(metrics) : undefined),
        // `Database` connects in the background, so that a process starts while PostgreSQL is unavailable.
        manualInitialization: true,
        retryAttempts: 0,
      }),
      dataSourceFactory: (options) => Promise.resolve(createDataSource(options!)),
      inject: [Config, LOGGER, Metrics],
    }),
  ],
  providers,
  exports: providers.map((provider) => ('provide' in provider ? provider.provide : provider)),
})
export class PersistenceModule {}
