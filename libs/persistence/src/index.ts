import './entities.js';

export * from './accounts/accounts.repository.js';
export type { AlertLogEntryEntity } from './alerts/alert-log-entry.entity.js';
export * from './alerts/alert-log.repository.js';
export * from './alerts/alerts.repository.js';
export * from './api-keys/api-keys.repository.js';
export * from './audit/actors.repository.js';
export {
  AuditLogRepository,
  type AuditEntry,
  type AuditFilter,
  type NewAuditEntry,
} from './audit/audit-log.repository.js';
export * from './audit/audit-search.repository.js';
export * from './customer-data/customer-records.repository.js';
export * from './customer-data/customer-timeline.repository.js';
export * from './customer-data/erasures.repository.js';
export * from './customers/customer-changes.repository.js';
export * from './customers/customer-directory.repository.js';
export { emptyCustomerFilter, type CustomerFilter } from './customers/customer-filter.js';
export * from './customers/customer-locks.repository.js';
export type { CustomerPosition } from './customers/customer-scan.js';
export * from './customers/customers-bulk.repository.js';
export * from './customers/customers.repository.js';
export { CredentialCache } from './database/credential-cache.js';
export { createConnection, SERVER_TIMEOUTS } from './database/data-source.js';
export { Database, type DatabaseProblem, type Sql } from './database/database.js';
export { REPLICA_CHECK_INTERVAL_MS } from './database/read-replica.js';
export { sessionLimits, sessionSettings } from './database/session-settings.js';
export * from './database/transactions.js';
export * from './email-codes/email-codes.repository.js';
export {
  encryptedColumns,
  pepperedColumns,
  type EncryptedColumn,
  type SecretColumn,
} from './encryption/encrypted-columns.js';
export * from './encryption/encrypted-values.repository.js';
export * from './events/event-feed.repository.js';
export * from './events/event-search.repository.js';
export * from './events/events.repository.js';
export * from './factors/challenges.repository.js';
export * from './factors/factor-attempts.repository.js';
export * from './factors/factors.repository.js';
export type { AttemptLimit } from './failed-attempts/attempt-counter.js';
export type { LoginAllowance } from './failed-attempts/login-allowance.js';
export { API_HEARTBEAT_TIMEOUT_SECONDS, ApisRepository, type OlderApi } from './health/apis.repository.js';
export * from './health/backlog.repository.js';
export * from './health/pending-work.repository.js';
export { clockAndHostMonitorProvider } from './health/clock-and-host-monitor-provider.js';
export { CLOCK_AND_HOST_CHECK_INTERVAL_MS, ClockAndHostMonitor } from './health/clock-and-host-monitor.js';
export { CLOCK_SKEW_LIMIT_MS, describeClockSkew, measureClockSkew } from './health/clock-skew.js';
export * from './health/database-server.repository.js';
export * from './health/dependency-health.js';
export * from './health/process-problems.repository.js';
export * from './health/system-status.repository.js';
export * from './health/workers.repository.js';
export { findWritableHosts } from './health/writable-hosts.js';
export * from './host-names/host-names.repository.js';
export * from './idempotency/idempotency-keys.repository.js';
export * from './identity-providers/identities.repository.js';
export * from './identity-providers/identity-providers.repository.js';
export * from './identity-providers/oauth-flows.repository.js';
export * from './identity-providers/provider-domains.repository.js';
export * from './identity-providers/required-domains.repository.js';
export * from './imports/import-targets.repository.js';
export * from './imports/imports.repository.js';
export * from './installation/installation.repository.js';
export * from './legacy-sign-in/legacy-sign-in.repository.js';
export type { CappedCount } from './lists/capped-count.js';
export { hasTrigram } from './lists/contains-condition.js';
export type { ScannedPage } from './lists/scanned-page.js';
export * from './login-attempts/login-attempts.repository.js';
export * from './mail-templates/mail-templates.repository.js';
export * from './mails/mail-log.repository.js';
export * from './mails/mails.repository.js';
export { createIndexes } from './migrations/concurrent-indexes.js';
export { currentMigrationNames } from './migrations/current-migration-names.js';
export * from './one-time-tokens/one-time-tokens.repository.js';
export * from './operators/operator-links.repository.js';
export * from './operators/operator-login-attempts.repository.js';
export * from './operators/operator-passkeys.repository.js';
export * from './operators/operator-preferences.repository.js';
export * from './operators/operator-sessions.repository.js';
export * from './operators/operators.repository.js';
export * from './organizations/billing-customers.repository.js';
export * from './organizations/organizations.repository.js';
export * from './overview/attempt-metrics.repository.js';
export * from './overview/attempt-rollups.repository.js';
export * from './overview/identity-metrics.repository.js';
export * from './overview/identity-rollups.repository.js';
export * from './passkeys/passkey-ceremonies.repository.js';
export * from './passkeys/passkeys.repository.js';
export * from './persistence.module.js';
export * from './projects/projects.repository.js';
export { declaredColumns, type DeclaredColumn } from './schema/declared-columns.js';
export * from './schema/migrate.js';
export { waitForMigrations } from './schema/wait-for-migrations.js';
export * from './search/lookups.repository.js';
export * from './search/search.repository.js';
export * from './sessions/reauthentication-codes.repository.js';
export * from './sessions/session-events.js';
export * from './sessions/session-proofs.repository.js';
export * from './sessions/sessions.repository.js';
export * from './sessions/token-subjects.repository.js';
export * from './sign-in-exchanges/sign-in-exchanges.repository.js';
export * from './sign-in-flows/sign-in-flows.repository.js';
export * from './sign-in-tokens/sign-in-tokens.repository.js';
export * from './signing-keys/assert-root-secret.js';
export * from './signing-keys/signing-keys.repository.js';
export { declaredStatements, type DeclaredStatement } from './sql/statements.js';
export { MAX_CLOCK_SKEW_MS, NIL_UUID, parseIdTime } from './sql/uuid-v7.js';
export { startOfDay, ensureAttemptPartitions } from './webhooks/attempt-partitions.js';
export * from './webhooks/attempts.repository.js';
export * from './webhooks/dead-letters.repository.js';
export {
  DeliveriesRepository,
  type Delivery,
  type DeliverySummary,
} from './webhooks/deliveries.repository.js';
export * from './webhooks/delivery-announcer.js';
export * from './webhooks/delivery-chains.repository.js';
export type { ClaimedAttempt } from './webhooks/delivery-claim.js';
export {
  deadLetterStates,
  isDeadLetter,
  type DeadLetterState,
  type DeliveryFilter,
} from './webhooks/delivery-filter.js';
export { deliverySorts, type DeliverySort } from './webhooks/delivery-list-scan.js';
export * from './webhooks/delivery-processing.repository.js';
export * from './webhooks/delivery-retention.repository.js';
export * from './webhooks/delivery-search.repository.js';
export * from './webhooks/endpoint-events.js';
export * from './webhooks/endpoint-health.repository.js';
export * from './webhooks/endpoint-stats.repository.js';
export type { EndpointStatusFilter } from './webhooks/endpoint-status-sql.js';
export * from './webhooks/ready-queue.repository.js';
export * from './webhooks/redelivery-batches.repository.js';
export * from './webhooks/redelivery-plans.js';
export * from './webhooks/redelivery-processing.repository.js';
export * from './webhooks/unnotified-dead-letters.repository.js';
export * from './webhooks/webhook-endpoints.repository.js';
export * from './webhooks/webhook-replays.repository.js';
