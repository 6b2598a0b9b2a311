import { Inject, Injectable } from '@nestjs/common';
import type { Customer, ProjectContext } from '@gatehouse/domain';
import { CustomersRepository, EventsRepository, Transactions, type Tx } from '@gatehouse/persistence';
import { errorMessage, LOGGER, type Logger } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';

/** Reports wrong passwords and codes of customers. */
@Injectable()
export class FailedSignInsService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Records the event `login.failed`, if one is due, asynchronously, so that the response time reveals nothing.
   * @param lock locks and returns the customer, so that no event follows the deletion of the customer
   * @param recordMore records the other consequences of the failure
   */
  report<Owner extends Customer>(
    project: ProjectContext,
    lock: (tx: Tx) => Promise<Owner | null>,
    recordMore?: (tx: Tx, customer: Owner) => Promise<void>,
  ): void {
    this.transactions
      .runInNewTransaction(async (tx) => {
        const customer = await lock(tx);
        if (!customer) return;
        if (await this.customers.claimLoginFailedEvent(tx, project.id, customer.id))
          this.events.record(tx, [customerEvent('login.failed', customer, project)]);
        await recordMore?.(tx, customer);
      })
      .catch((error: unknown) =>
        this.logger.warn({ reason: errorMessage(error) }, 'failed sign-in not recorded'),
      );
  }
}
