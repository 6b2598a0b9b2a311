import { AlertLogEntryEntity } from './alerts/alert-log-entry.entity.js';
import { AlertEntity } from './alerts/alert.entity.js';
import { ApiKeyEntity } from './api-keys/api-key.entity.js';
import { AuditLogEntryEntity } from './audit/audit-log-entry.entity.js';
import { AuditRetentionEntity } from './audit/audit-retention.entity.js';
import { CustomerEntity } from './customers/customer.entity.js';
import { ErasureEntity } from './customers/erasure.entity.js';
import { EmailCodeAttemptEntity } from './email-codes/email-code-attempt.entity.js';
import { EmailCodeGuessesEntity } from './email-codes/email-code-guesses.entity.js';
import { EmailCodeEntity } from './email-codes/email-code.entity.js';
import { EventFeedEntity } from './events/event-feed.entity.js';
import { EventEntity } from './events/event.entity.js';
import { ApiEntity } from './health/api.entity.js';
import { WebhookReplayEntity } from './webhooks/webhook-replay.entity.js';
import { WorkerEntity } from './health/worker.entity.js';
import { IdempotencyKeyEntity } from './idempotency/idempotency-key.entity.js';
import { ImportFailureEntity } from './imports/import-failure.entity.js';
import { ImportEntity } from './imports/import.entity.js';
import { InstallationEntity } from './installation/installation.entity.js';
import { CustomerAddressEntity } from './login-attempts/customer-address.entity.js';
import { LoginAttemptEntity } from './login-attempts/login-attempt.entity.js';
import { MailTemplateEntity } from './mail-templates/mail-template.entity.js';
import { MailEntity } from './mails/mail.entity.js';
import { MigrationLeaseEntity } from './migration-lease.entity.js';
import { OneTimeTokenEntity } from './one-time-tokens/one-time-token.entity.js';
import { OperatorAddressEntity } from './operators/operator-address.entity.js';
import { OperatorFlowEntity } from './operators/operator-flow.entity.js';
import { OperatorLinkEntity } from './operators/operator-link.entity.js';
import { OperatorPasskeyEntity } from './operators/operator-passkey.entity.js';
import { OperatorPreferencesEntity } from './operators/operator-preferences.entity.js';
import { OperatorLoginAttemptEntity } from './operators/operator-login-attempt.entity.js';
import { OperatorSessionEntity } from './operators/operator-session.entity.js';
import { SavedViewEntity } from './operators/saved-view.entity.js';
import { OperatorEntity } from './operators/operator.entity.js';
import { BillingCustomerEntity } from './organizations/billing-customer.entity.js';
import { OrganizationEntity } from './organizations/organization.entity.js';
import { AttemptRollupByEndpointEntity } from './overview/attempt-rollup-by-endpoint.entity.js';
import { AttemptRollupByEventEntity } from './overview/attempt-rollup-by-event.entity.js';
import { AttemptRollupEntity } from './overview/attempt-rollup.entity.js';
import { IdentityRollupProgressEntity } from './overview/identity-rollup-progress.entity.js';
import { IdentityRollupEntity } from './overview/identity-rollup.entity.js';
import { RollupProgressEntity } from './overview/rollup-progress.entity.js';
import { ProcessProblemEntity } from './health/process-problem.entity.js';
import { ProjectEntity } from './projects/project.entity.js';
import { ReauthenticationCodeEntity } from './sessions/reauthentication-code.entity.js';
import { SessionEntity } from './sessions/session.entity.js';
import { ChallengeEntity } from './factors/challenge.entity.js';
import { FactorAttemptEntity } from './factors/factor-attempt.entity.js';
import { RecoveryCodeEntity } from './factors/recovery-code.entity.js';
import { TotpFactorEntity } from './factors/totp-factor.entity.js';
import { IdentityEntity } from './identity-providers/identity.entity.js';
import { IdentityProviderEntity } from './identity-providers/identity-provider.entity.js';
import { IdentityProviderDomainEntity } from './identity-providers/identity-provider-domain.entity.js';
import { OAuthFlowEntity } from './identity-providers/oauth-flow.entity.js';
import { UsedIdTokenEntity } from './identity-providers/used-id-token.entity.js';
import { PasskeyEntity } from './passkeys/passkey.entity.js';
import { PasskeyCeremonyEntity } from './passkeys/passkey-ceremony.entity.js';
import { SignInFlowEntity } from './sign-in-flows/sign-in-flow.entity.js';
import { SignInExchangeEntity } from './sign-in-exchanges/sign-in-exchange.entity.js';
import { SignInTokenEntity } from './sign-in-tokens/sign-in-token.entity.js';
import { SigningKeyEntity } from './signing-keys/signing-key.entity.js';
import { AttemptEntity } from './webhooks/attempt.entity.js';
import { DeliveryEntity } from './webhooks/delivery.entity.js';
import { EndpointHealthEntity } from './webhooks/endpoint-health.entity.js';
import { RedeliveryBatchEntity } from './webhooks/redelivery-batch.entity.js';
import { RedeliveryFeedEntity } from './webhooks/redelivery-feed.entity.js';
import { RedeliveryItemEntity } from './webhooks/redelivery-item.entity.js';
import { WebhookEndpointEntity } from './webhooks/webhook-endpoint.entity.js';

/** Every entity: one for each table. The partitions of `attempts` have none. */
export const entities = [
  AlertEntity,
  AlertLogEntryEntity,
  ApiEntity,
  ApiKeyEntity,
  AttemptEntity,
  AttemptRollupByEndpointEntity,
  AttemptRollupByEventEntity,
  AttemptRollupEntity,
  AuditLogEntryEntity,
  AuditRetentionEntity,
  BillingCustomerEntity,
  ChallengeEntity,
  CustomerAddressEntity,
  CustomerEntity,
  DeliveryEntity,
  EmailCodeAttemptEntity,
  EmailCodeEntity,
  EmailCodeGuessesEntity,
  EndpointHealthEntity,
  ErasureEntity,
  EventEntity,
  EventFeedEntity,
  FactorAttemptEntity,
  IdempotencyKeyEntity,
  IdentityEntity,
  IdentityProviderDomainEntity,
  IdentityProviderEntity,
  IdentityRollupEntity,
  IdentityRollupProgressEntity,
  ImportEntity,
  ImportFailureEntity,
  InstallationEntity,
  LoginAttemptEntity,
  MailEntity,
  MailTemplateEntity,
  MigrationLeaseEntity,
  OAuthFlowEntity,
  OneTimeTokenEntity,
  OperatorAddressEntity,
  OperatorEntity,
  OperatorFlowEntity,
  OperatorLinkEntity,
  OperatorLoginAttemptEntity,
  OperatorPasskeyEntity,
  OperatorPreferencesEntity,
  OperatorSessionEntity,
  SavedViewEntity,
  OrganizationEntity,
  PasskeyCeremonyEntity,
  PasskeyEntity,
  ProcessProblemEntity,
  ProjectEntity,
  ReauthenticationCodeEntity,
  RecoveryCodeEntity,
  RedeliveryBatchEntity,
  RedeliveryFeedEntity,
  RedeliveryItemEntity,
  RollupProgressEntity,
  SessionEntity,
  SignInExchangeEntity,
  SignInFlowEntity,
  SignInTokenEntity,
  SigningKeyEntity,
  TotpFactorEntity,
  UsedIdTokenEntity,
  WebhookEndpointEntity,
  WebhookReplayEntity,
  WorkerEntity,
];
