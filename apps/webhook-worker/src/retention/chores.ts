import { Injectable } from '@nestjs/common';
import {
  AuditLogRepository,
  DeliveryRetentionRepository,
  ErasuresRepository,
  FiguresWriterRepository,
  IdempotencyKeysRepository,
  ImportsRepository,
  LoginAttemptsRepository,
  MailsRepository,
  OneTimeTokensRepository,
  OperatorAttemptsRepository,
  OperatorLinksRepository,
  OperatorSessionsRepository,
  RedeliveryBatchesRepository,
  SessionsRepository,
  Transactions,
  WebhookEndpointsRepository,
} from '@gatehouse/persistence';
import { Config } from '@gatehouse/platform';
import { ExpiringKeys } from './expiring-keys.js';

/** How long what has ended is kept, so that an old link or token still gets its own answer. */
const KEPT_DAYS = 30;

/** Audit entries that one transaction removes: few enough for its time-out. */
const BATCH = 2_000;

/** One thing to do every hour. `run` begins nothing more once the signal is aborted. */
export interface Chore {
  name: string;
  run: (signal: AbortSignal) => Promise<void>;
}

/** What is removed because its time is over, erased because its customer is gone, or told because it ends soon. */
@Injectable()
export class Chores {
  readonly all: Chore[];

  constructor(
    loginAttempts: LoginAttemptsRepository,
    operatorAttempts: OperatorAttemptsRepository,
    operatorLinks: OperatorLinksRepository,
    operatorSessions: OperatorSessionsRepository,
    answers: IdempotencyKeysRepository,
    sessions: SessionsRepository,
    tokens: OneTimeTokensRepository,
    mails: MailsRepository,
    imports: ImportsRepository,
    redeliveries: RedeliveryBatchesRepository,
    deliveries: DeliveryRetentionRepository,
    figures: FiguresWriterRepository,
    auditLog: AuditLogRepository,
    erasures: ErasuresRepository,
    expiringKeys: ExpiringKeys,
    endpoints: WebhookEndpointsRepository,
    transactions: Transactions,
    { audit, webhooks }: Config,
  ) {
    const forgetAudit = () => transactions.run((tx) => auditLog.prune(tx, audit.retention, BATCH));
    const eraseMore = () => transactions.run((tx) => erasures.goOn(tx));
    this.all = [
      { name: 'expiring keys', run: () => expiringKeys.tell() },
      { name: 'previous webhook secrets', run: () => endpoints.forgetPreviousSecrets() },
      { name: 'erasures', run: (signal) => untilDone(signal, eraseMore) },
      { name: 'login attempts', run: (signal) => loginAttempts.prune(signal) },
      { name: 'operator attempts', run: (signal) => operatorAttempts.prune(signal) },
      { name: 'operator links', run: (signal) => operatorLinks.prune(signal) },
      { name: 'operator sessions', run: (signal) => operatorSessions.prune(signal) },
      { name: 'answers', run: (signal) => answers.prune(signal) },
      { name: 'sessions', run: (signal) => sessions.prune(KEPT_DAYS, signal) },
      { name: 'one-time tokens', run: (signal) => tokens.prune(KEPT_DAYS, signal) },
      { name: 'mails', run: (signal) => mails.prune(KEPT_DAYS, signal) },
      { name: 'imports', run: (signal) => imports.prune(KEPT_DAYS, signal) },
      { name: 'redeliveries', run: (signal) => redeliveries.prune(KEPT_DAYS, signal) },
      { name: 'deliveries', run: (signal) => deliveries.prune(webhooks.retention, signal) },
      { name: 'figures', run: (signal) => figures.prune(signal) },
      { name: 'audit log', run: (signal) => untilDone(signal, async () => (await forgetAudit()) === BATCH) },
    ];
  }
}

/** @param step answers whether there may be more to do */
async function untilDone(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && (await step()));
}
