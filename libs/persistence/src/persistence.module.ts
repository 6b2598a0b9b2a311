import { Global, Module, type Provider } from '@nestjs/common';
import { Config, DeliveryQueue, Failpoints, LOGGER, type Logger } from '#platform';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { AuditLogRepository } from './audit/audit-log.repository.js';
import { CustomerDirectoryRepository } from './customers/customer-directory.repository.js';
import { CustomerRecordsRepository } from './customers/customer-records.repository.js';
import { CustomersBulkRepository } from './customers/customers-bulk.repository.js';
import { CustomersRepository } from './customers/customers.repository.js';
import { ErasuresRepository } from './customers/erasures.repository.js';
import { Database } from './database.js';
import { EventFeedRepository } from './events/event-feed.repository.js';
import { EventsRepository } from './events/events.repository.js';
import { IdempotencyKeysRepository } from './idempotency/idempotency-keys.repository.js';
import { ImportsRepository } from './imports/imports.repository.js';
import { LoginAttemptsRepository } from './login-attempts/login-attempts.repository.js';
import { MailsRepository } from './mails/mails.repository.js';
import { OneTimeTokensRepository } from './one-time-tokens/one-time-tokens.repository.js';
import { OperatorsRepository } from './operators/operators.repository.js';
import { BillingCustomersRepository } from './organizations/billing-customers.repository.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { ProjectsRepository } from './projects/projects.repository.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SigningKeysRepository } from './signing-keys/signing-keys.repository.js';
import { Transactions } from './transactions.js';
import { AttemptsRepository } from './webhooks/attempts.repository.js';
import { DeliveriesRepository } from './webhooks/deliveries.repository.js';
import { DeliveryAnnouncer } from './webhooks/delivery-announcer.js';
import { DeliveryWorkRepository } from './webhooks/delivery-work.repository.js';
import { WebhookEndpointsRepository } from './webhooks/webhook-endpoints.repository.js';

const repositories: Provider[] = [
  ApiKeysRepository,
  AttemptsRepository,
  AuditLogRepository,
  BillingCustomersRepository,
  CustomerDirectoryRepository,
  CustomerRecordsRepository,
  CustomersBulkRepository,
  CustomersRepository,
  DeliveriesRepository,
  IdempotencyKeysRepository,
  ImportsRepository,
  LoginAttemptsRepository,
  MailsRepository,
  OneTimeTokensRepository,
  OperatorsRepository,
  OrganizationsRepository,
  ProjectsRepository,
  SessionsRepository,
  SigningKeysRepository,
  WebhookEndpointsRepository,
].map((Repository) => ({
  provide: Repository,
  useFactory: (database: Database) => new Repository(database),
  inject: [Database],
}));

const providers: Provider[] = [
  {
    provide: Database,
    useFactory: (config: Config, logger: Logger) => new Database(config, logger),
    inject: [Config, LOGGER],
  },
  {
    provide: DeliveryAnnouncer,
    useFactory: (database: Database, queue: DeliveryQueue | null, config: Config, logger: Logger) =>
      new DeliveryAnnouncer(database, queue, config.webhooks.schedule[0]!, logger),
    inject: [Database, DeliveryQueue, Config, LOGGER],
  },
  {
    provide: Transactions,
    useFactory: (database: Database, announcer: DeliveryAnnouncer, failpoints: Failpoints) =>
      new Transactions(database, announcer, failpoints),
    inject: [Database, DeliveryAnnouncer, Failpoints],
  },
  {
    provide: EventFeedRepository,
    useFactory: (database: Database, transactions: Transactions) =>
      new EventFeedRepository(database, transactions),
    inject: [Database, Transactions],
  },
  {
    provide: EventsRepository,
    useFactory: (config: Config) => new EventsRepository(config.webhooks.schedule[0]!),
    inject: [Config],
  },
  {
    provide: DeliveryWorkRepository,
    useFactory: (database: Database, config: Config) =>
      new DeliveryWorkRepository(database, config.webhooks.lease),
    inject: [Database, Config],
  },
  ErasuresRepository,
  ...repositories,
];

/** The record: every repository, and the one way to open a transaction. */
@Global()
@Module({
  providers,
  exports: providers.map((provider) => ('provide' in provider ? provider.provide : provider)),
})
export class PersistenceModule {}
