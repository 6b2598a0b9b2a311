import { Injectable } from '@nestjs/common';
import {
  AuditLogRepository,
  ChallengesRepository,
  DeliveryRetentionRepository,
  EmailCodesRepository,
  ErasuresRepository,
  FactorAttemptsRepository,
  FactorsRepository,
  IdempotencyKeysRepository,
  ImportsRepository,
  LoginAttemptsRepository,
  MailsRepository,
  OAuthFlowsRepository,
  OneTimeTokensRepository,
  OperatorLoginAttemptsRepository,
  OperatorLinksRepository,
  OperatorSessionsRepository,
  PasskeyCeremoniesRepository,
  ReauthenticationCodesRepository,
  RedeliveryBatchesRepository,
  SessionsRepository,
  SignInExchangesRepository,
  SignInTokensRepository,
  Transactions,
  WebhookEndpointsRepository,
} from '@gatehouse/persistence';
import { Config } from '@gatehouse/platform';
import { DomainChecker } from '../domains/domain-checker.js';
import { RollupMaintenance } from '../overview/rollup-maintenance.js';
import { ExpiringKeyNotifier } from './expiring-key-notifier.js';

/** Days to retain expired and finished records, so that an old link or token still gets its specific error. */
const RETENTION_DAYS = 30;

/** Maximum number of audit entries that one statement deletes, so that it stays within its timeout. */
const BATCH_SIZE = 2_000;

/** A job that runs every hour. `run` starts no further steps after the signal is aborted. */
export interface MaintenanceJob {
  name: string;
  run: (signal: AbortSignal) => Promise<void>;
}

/**
 * The jobs that delete expired records, erase deleted customers' data, create events for expiring keys, and look up
 * domain records again.
 */
@Injectable()
export class MaintenanceJobs {
  readonly jobs: MaintenanceJob[];

  constructor(
    loginAttempts: LoginAttemptsRepository,
    operatorAttempts: OperatorLoginAttemptsRepository,
    operatorLinks: OperatorLinksRepository,
    operatorSessions: OperatorSessionsRepository,
    idempotencyKeys: IdempotencyKeysRepository,
    sessions: SessionsRepository,
    tokens: OneTimeTokensRepository,
    signInTokens: SignInTokensRepository,
    emailCodes: EmailCodesRepository,
    exchanges: SignInExchangesRepository,
    flows: OAuthFlowsRepository,
    reauthenticationCodes: ReauthenticationCodesRepository,
    challenges: ChallengesRepository,
    factors: FactorsRepository,
    factorAttempts: FactorAttemptsRepository,
    ceremonies: PasskeyCeremoniesRepository,
    mails: MailsRepository,
    imports: ImportsRepository,
    redeliveries: RedeliveryBatchesRepository,
    deliveries: DeliveryRetentionRepository,
    rollups: RollupMaintenance,
    auditLog: AuditLogRepository,
    erasures: ErasuresRepository,
    expiringKeys: ExpiringKeyNotifier,
    domains: DomainChecker,
    endpoints: WebhookEndpointsRepository,
    transactions: Transactions,
    { audit, webhooks }: Config,
  ) {
    this.jobs = [
      { name: 'expiring keys', run: () => expiringKeys.notify() },
      { name: 'previous webhook secrets', run: () => endpoints.clearExpiredSecrets() },
      { name: 'erasures', run: (signal) => erase(signal, erasures, transactions) },
      { name: 'erased dead letters', run: (signal) => erasures.resolveDeadLetters(signal) },
      { name: 'login attempts', run: (signal) => loginAttempts.prune(signal) },
      { name: 'operator attempts', run: (signal) => operatorAttempts.prune(signal) },
      { name: 'operator links', run: (signal) => operatorLinks.prune(signal) },
      { name: 'operator sessions', run: (signal) => operatorSessions.prune(signal) },
      { name: 'idempotency keys', run: (signal) => idempotencyKeys.prune(signal) },
      { name: 'sessions', run: (signal) => sessions.prune(RETENTION_DAYS, signal) },
      { name: 'one-time tokens', run: (signal) => tokens.prune(RETENTION_DAYS, signal) },
      { name: 'sign-in tokens', run: (signal) => signInTokens.prune(signal) },
      { name: 'email codes', run: (signal) => emailCodes.prune(signal) },
      { name: 'oauth flows', run: (signal) => flows.prune(signal) },
      { name: 'sign-in exchanges', run: (signal) => exchanges.prune(signal) },
      { name: 'reauthentication codes', run: (signal) => reauthenticationCodes.prune(signal) },
      { name: 'challenges', run: (signal) => challenges.prune(signal) },
      { name: 'unconfirmed factors', run: (signal) => factors.prune(signal) },
      { name: 'factor attempts', run: (signal) => factorAttempts.prune(signal) },
      { name: 'passkey ceremonies', run: (signal) => ceremonies.prune(signal) },
      { name: 'mails', run: (signal) => mails.prune(RETENTION_DAYS, signal) },
      { name: 'imports', run: (signal) => imports.prune(RETENTION_DAYS, signal) },
      { name: 'redeliveries', run: (signal) => redeliveries.prune(RETENTION_DAYS, signal) },
      { name: 'deliveries', run: (signal) => deliveries.prune(webhooks.retention, signal) },
      { name: 'rollups', run: (signal) => rollups.run(signal) },
      { name: 'audit log', run: (signal) => pruneAuditLog(signal, auditLog, audit.retention) },
      { name: 'domains', run: (signal) => domains.check(signal) },
    ];
  }
}

function erase(signal: AbortSignal, erasures: ErasuresRepository, transactions: Transactions): Promise<void> {
  return repeatUntilDone(signal, () => transactions.run((tx) => erasures.eraseNextBatch(tx)));
}

function pruneAuditLog(signal: AbortSignal, auditLog: AuditLogRepository, retention: number): Promise<void> {
  return repeatUntilDone(signal, async () => (await auditLog.prune(retention, BATCH_SIZE)) === BATCH_SIZE);
}

/**
 * Repeats a step until it returns false or the signal is aborted.
 * @param step returns true if there may be more to do
 */
async function repeatUntilDone(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && (await step()));
}
