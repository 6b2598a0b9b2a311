import { Inject, Injectable } from '@nestjs/common';
import {
  EventsRepository,
  RequiredDomainsRepository,
  sessionRevokedEvent,
  Transactions,
  type Tx,
} from '@gatehouse/persistence';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { WorkJob } from '../periodic-job/work-job.js';

/** Maximum number of customers that one transaction checks, so that it stays short. */
const BATCH_SIZE = 500;

/**
 * After a required provider or one of its domains has changed, ends the sessions that customers in its domains opened
 * without this provider (requirement FE-06). A project can have a million customers, so the work is split into many
 * short transactions.
 */
@Injectable()
export class RequiredDomainEnforcer extends WorkJob {
  constructor(
    private readonly domains: RequiredDomainsRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    @Inject(LOGGER) logger: Logger,
  ) {
    super('requiredDomains', logger, 'required domain check failed');
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.transactions.run((tx) => this.endNextBatch(tx))));
  }

  /** Returns false if no domain is left, except those that other workers are checking. */
  private async endNextBatch(tx: Tx): Promise<boolean> {
    const pending = await this.domains.claim(tx);
    if (!pending) return false;
    const ended = await this.domains.endNextSessions(tx, pending, BATCH_SIZE);
    this.events.record(
      tx,
      ended.map(({ session, customer }) => sessionRevokedEvent(session, customer, pending, 'sso_required')),
    );
    return true;
  }
}
