import { CreateOrganizationsAndCustomers1763683200000 } from './1763683200000-create-organizations-and-customers.js';
import { CreateDeliveries1763683201000 } from './1763683201000-create-deliveries.js';
import { AddCustomerAddressesAndTokenGroups1763769600000 } from './1763769600000-add-customer-addresses-and-token-groups.js';
import { AddSigningKeyActivation1763769601000 } from './1763769601000-add-signing-key-activation.js';
import { CreateIdempotencyKeys1763769602000 } from './1763769602000-create-idempotency-keys.js';
import { IndexActiveSessions1763769603000 } from './1763769603000-index-active-sessions.js';
import { AddApiKeyRotationAndExpiry1763856000000 } from './1763856000000-add-api-key-rotation-and-expiry.js';
import { CreateBillingCustomers1763856001000 } from './1763856001000-create-billing-customers.js';
import { AddCustomerIndexesAndErasures1763856010000 } from './1763856010000-add-customer-indexes-and-erasures.js';
import { CreateImports1763856020000 } from './1763856020000-create-imports.js';
import { CreateAuditLog1763856030000 } from './1763856030000-create-audit-log.js';
import { CreateEventFeed1763856040000 } from './1763856040000-create-event-feed.js';
import { AddReadyQueues1763942400000 } from './1763942400000-add-ready-queues.js';
import { AddEndpointHeadersAndHealth1763942410000 } from './1763942410000-add-endpoint-headers-and-health.js';
import { CreateRedeliveryBatches1763942420000 } from './1763942420000-create-redelivery-batches.js';
import { CreateAlerts1763942430000 } from './1763942430000-create-alerts.js';
import { IndexFailedAttempts1763942440000 } from './1763942440000-index-failed-attempts.js';
import { AddOperatorSignIn1764028800000 } from './1764028800000-add-operator-sign-in.js';
import { AllowNullOrganizations1764028805000 } from './1764028805000-allow-null-organizations.js';
import { CreateAttemptRollups1764028810000 } from './1764028810000-create-attempt-rollups.js';
import { AddSearchIndexes1764028820000 } from './1764028820000-add-search-indexes.js';
import { CreateWorkers1764028821000 } from './1764028821000-create-workers.js';
import { AddSystemCustomerIndexes1764115200000 } from './1764115200000-add-system-customer-indexes.js';
import { DropOrganizationExternalIdIndex1764115201000 } from './1764115201000-drop-organization-external-id-index.js';
import { IndexOrganizationEndpoints1764115202000 } from './1764115202000-index-organization-endpoints.js';
import { CreateOperatorAddresses1764115203000 } from './1764115203000-create-operator-addresses.js';
import { AddMailLog1764201600000 } from './1764201600000-add-mail-log.js';
import { IndexMailLog1764201600500 } from './1764201600500-index-mail-log.js';
import { AddCustomerLocale1764201601000 } from './1764201601000-add-customer-locale.js';
import { CreateMailTemplates1764201601500 } from './1764201601500-create-mail-templates.js';
import { AddOperatorReauthentication1764201602000 } from './1764201602000-add-operator-reauthentication.js';
import { AddOperatorBrowsers1764201602001 } from './1764201602001-add-operator-browsers.js';
import { CountConsecutiveFailedLogins1764201603000 } from './1764201603000-count-consecutive-failed-logins.js';
import { IndexCustomersWithPasswords1764201603100 } from './1764201603100-index-customers-with-passwords.js';
import { AddImportWeakHashes1764201603200 } from './1764201603200-add-import-weak-hashes.js';
import { AddCustomerClaims1764201605000 } from './1764201605000-add-customer-claims.js';
import { CreateOwnerFunctions1764201606000 } from './1764201606000-create-owner-functions.js';
import { AllowErasedDeadLetters1764201607000 } from './1764201607000-allow-erased-dead-letters.js';
import { AddSessionProofs1764288000000 } from './1764288000000-add-session-proofs.js';
import { CreateSignInTokens1764288001000 } from './1764288001000-create-sign-in-tokens.js';
import { CreateSecondFactors1764288002000 } from './1764288002000-create-second-factors.js';
import { AddCustomerMfa1764288002100 } from './1764288002100-add-customer-mfa.js';
import { AddProjectMfa1764288002200 } from './1764288002200-add-project-mfa.js';
import { AddSessionFactorTime1764288002300 } from './1764288002300-add-session-factor-time.js';
import { AddRsaSigningKeys1764288010000 } from './1764288010000-add-rsa-signing-keys.js';
import { CreateEmailCodes1764288020000 } from './1764288020000-create-email-codes.js';
import { CreatePasskeys1764288030000 } from './1764288030000-create-passkeys.js';
import { CreateSignInExchanges1764288040000 } from './1764288040000-create-sign-in-exchanges.js';
import { CreateReauthenticationCodes1764288041000 } from './1764288041000-create-reauthentication-codes.js';
import { CreateApis1764288050000 } from './1764288050000-create-apis.js';
import { AddPasskeyUserHandles1764288060000 } from './1764288060000-add-passkey-user-handles.js';
import { AddLegacySignIn1764288070000 } from './1764288070000-add-legacy-sign-in.js';
import { AddImportedCustomers1764288071000 } from './1764288071000-add-imported-customers.js';
import { MarkImportedCustomers1764288072000 } from './1764288072000-mark-imported-customers.js';
import { CreateIdentityProviders1764374400000 } from './1764374400000-create-identity-providers.js';
import { AddProviderExchanges1764374401000 } from './1764374401000-add-provider-exchanges.js';
import { AddSessionProvider1764374402000 } from './1764374402000-add-session-provider.js';
import { AddCustomerImage1764374403000 } from './1764374403000-add-customer-image.js';
import { AddChallengeProvider1764374404000 } from './1764374404000-add-challenge-provider.js';
import { AddDomainChecks1764374420000 } from './1764374420000-add-domain-checks.js';
import { AddEventTraceparent1764460859000 } from './1764460859000-add-event-traceparent.js';
import { AddMailTraceparent1764460859100 } from './1764460859100-add-mail-traceparent.js';
import { AddOperatorOidc1764547208000 } from './1764547208000-add-operator-oidc.js';
import { CreateOperatorPasskeys1764547208010 } from './1764547208010-create-operator-passkeys.js';
import { CreateOperatorPreferences1764547201000 } from './1764547201000-create-operator-preferences.js';
import { AddApiKeyRateLimit1764460860000 } from './1764460860000-add-api-key-rate-limit.js';
import { AddEndpointName1764547202000 } from './1764547202000-add-endpoint-name.js';
import { IndexDeliveryLists1764547203000 } from './1764547203000-index-delivery-lists.js';
import { IndexLockedCustomers1764547205000 } from './1764547205000-index-locked-customers.js';
import { IndexLockedFactors1764547205001 } from './1764547205001-index-locked-factors.js';
import { AddEndpointRollupProgress1764547202010 } from './1764547202010-add-endpoint-rollup-progress.js';
import { AddEventAuditEntry1764547206000 } from './1764547206000-add-event-audit-entry.js';
import { AddTrigramIndexes1764547204000 } from './1764547204000-add-trigram-indexes.js';
import { AddOperatorOrganizations1764547207000 } from './1764547207000-add-operator-organizations.js';
import { AddBatchOrganizations1764547207010 } from './1764547207010-add-batch-organizations.js';
import { IndexOrganizationEvents1764547207020 } from './1764547207020-index-organization-events.js';
import { CreateWebhookReplays1764547202020 } from './1764547202020-create-webhook-replays.js';
import { CreateIdentityRollups1764547209000 } from './1764547209000-create-identity-rollups.js';
import { IndexIdentityEvents1764547209010 } from './1764547209010-index-identity-events.js';
import { CreateAlertLog1764547209020 } from './1764547209020-create-alert-log.js';
import { SkipOrganizationTrigger1764633600000 } from './1764633600000-skip-organization-trigger.js';
import { AddCustomerAccessRevocation1764720010000 } from './1764720010000-add-customer-access-revocation.js';
import { CreateSignInFlows1764720011000 } from './1764720011000-create-sign-in-flows.js';
import { AddChallengeFlow1764720012000 } from './1764720012000-add-challenge-flow.js';
import { AddEmailCodeNetwork1764720013000 } from './1764720013000-add-email-code-network.js';
import { AddCeremonyBinding1764720014000 } from './1764720014000-add-ceremony-binding.js';
import { AddOAuthFlowBrowser1764720015000 } from './1764720015000-add-oauth-flow-browser.js';
import { AddChallengeIdentity1764720016000 } from './1764720016000-add-challenge-identity.js';
import { AddPendingFactorSession1764720017000 } from './1764720017000-add-pending-factor-session.js';
import { AddMailboxScope1764720001000 } from './1764720001000-add-mailbox-scope.js';
import { CreateOperatorFlows1764720002000 } from './1764720002000-create-operator-flows.js';
import { CreateInstallation1764730030000 } from './1764730030000-create-installation.js';
import { IndexUnsentMails1764740020000 } from './1764740020000-index-unsent-mails.js';
import { CreateProcessProblems1764816400950 } from './1764816400950-create-process-problems.js';
import { AddAuthTimeStatement1764816500600 } from './1764816500600-add-auth-time-statement.js';
import { AddSignInTokenReason1764820104000 } from './1764820104000-add-sign-in-token-reason.js';
import { AddSessionSupport1764820104010 } from './1764820104010-add-session-support.js';
import { AllowSupportActor1764820104020 } from './1764820104020-allow-support-actor.js';
import { NormalizeNames1764900096000 } from './1764900096000-normalize-names.js';
import { AddPendingIdentities1764900098000 } from './1764900098000-add-pending-identities.js';
import { DescribePasswordHashes1764900110000 } from './1764900110000-describe-password-hashes.js';
import { AddImportUpdates1764900120000 } from './1764900120000-add-import-updates.js';
import { AddProviderSettings1764950000000 } from './1764950000000-add-provider-settings.js';
import { AddSignInTokenProof1764900130000 } from './1764900130000-add-sign-in-token-proof.js';

/** All migrations in execution order. A released migration is never changed. */
export const migrations = [
  CreateOrganizationsAndCustomers1763683200000,
  CreateDeliveries1763683201000,
  AddCustomerAddressesAndTokenGroups1763769600000,
  AddSigningKeyActivation1763769601000,
  CreateIdempotencyKeys1763769602000,
  IndexActiveSessions1763769603000,
  AddApiKeyRotationAndExpiry1763856000000,
  CreateBillingCustomers1763856001000,
  AddCustomerIndexesAndErasures1763856010000,
  CreateImports1763856020000,
  CreateAuditLog1763856030000,
  CreateEventFeed1763856040000,
  AddReadyQueues1763942400000,
  AddEndpointHeadersAndHealth1763942410000,
  CreateRedeliveryBatches1763942420000,
  CreateAlerts1763942430000,
  IndexFailedAttempts1763942440000,
  AddOperatorSignIn1764028800000,
  AllowNullOrganizations1764028805000,
  CreateAttemptRollups1764028810000,
  AddSearchIndexes1764028820000,
  CreateWorkers1764028821000,
  AddSystemCustomerIndexes1764115200000,
  DropOrganizationExternalIdIndex1764115201000,
  IndexOrganizationEndpoints1764115202000,
  CreateOperatorAddresses1764115203000,
  AddMailLog1764201600000,
  IndexMailLog1764201600500,
  AddCustomerLocale1764201601000,
  CreateMailTemplates1764201601500,
  AddOperatorReauthentication1764201602000,
  AddOperatorBrowsers1764201602001,
  CountConsecutiveFailedLogins1764201603000,
  IndexCustomersWithPasswords1764201603100,
  AddImportWeakHashes1764201603200,
  AddCustomerClaims1764201605000,
  CreateOwnerFunctions1764201606000,
  AllowErasedDeadLetters1764201607000,
  AddSessionProofs1764288000000,
  CreateSignInTokens1764288001000,
  CreateSecondFactors1764288002000,
  AddCustomerMfa1764288002100,
  AddProjectMfa1764288002200,
  AddSessionFactorTime1764288002300,
  AddRsaSigningKeys1764288010000,
  CreateEmailCodes1764288020000,
  CreatePasskeys1764288030000,
  CreateSignInExchanges1764288040000,
  CreateReauthenticationCodes1764288041000,
  CreateApis1764288050000,
  AddPasskeyUserHandles1764288060000,
  AddLegacySignIn1764288070000,
  AddImportedCustomers1764288071000,
  MarkImportedCustomers1764288072000,
  CreateIdentityProviders1764374400000,
  AddProviderExchanges1764374401000,
  AddSessionProvider1764374402000,
  AddCustomerImage1764374403000,
  AddChallengeProvider1764374404000,
  AddDomainChecks1764374420000,
  AddEventTraceparent1764460859000,
  AddMailTraceparent1764460859100,
  AddApiKeyRateLimit1764460860000,
  AddEndpointName1764547202000,
  CreateOperatorPreferences1764547201000,
  IndexDeliveryLists1764547203000,
  IndexLockedCustomers1764547205000,
  IndexLockedFactors1764547205001,
  AddEndpointRollupProgress1764547202010,
  AddEventAuditEntry1764547206000,
  AddTrigramIndexes1764547204000,
  AddOperatorOrganizations1764547207000,
  AddBatchOrganizations1764547207010,
  IndexOrganizationEvents1764547207020,
  CreateWebhookReplays1764547202020,
  AddOperatorOidc1764547208000,
  CreateIdentityRollups1764547209000,
  IndexIdentityEvents1764547209010,
  CreateOperatorPasskeys1764547208010,
  CreateAlertLog1764547209020,
  SkipOrganizationTrigger1764633600000,
  AddCustomerAccessRevocation1764720010000,
  CreateSignInFlows1764720011000,
  AddChallengeFlow1764720012000,
  AddEmailCodeNetwork1764720013000,
  AddCeremonyBinding1764720014000,
  AddOAuthFlowBrowser1764720015000,
  AddChallengeIdentity1764720016000,
  AddPendingFactorSession1764720017000,
  AddMailboxScope1764720001000,
  CreateOperatorFlows1764720002000,
  CreateInstallation1764730030000,
  IndexUnsentMails1764740020000,
  CreateProcessProblems1764816400950,
  AddAuthTimeStatement1764816500600,
  AddSignInTokenReason1764820104000,
  AddSessionSupport1764820104010,
  AllowSupportActor1764820104020,
  NormalizeNames1764900096000,
  AddPendingIdentities1764900098000,
  DescribePasswordHashes1764900110000,
  AddImportUpdates1764900120000,
  AddSignInTokenProof1764900130000,
  AddProviderSettings1764950000000,
];
