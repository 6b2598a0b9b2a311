import { Injectable } from '@nestjs/common';
import { notFound, type AccessScope } from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  FactorsRepository,
  Transactions,
  type CustomerFactors,
} from '@gatehouse/persistence';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { FactorChangesService } from '../factors/factor-changes.service.js';

/**
 * Lists and removes customers' second factors. Support can neither add a factor nor read a secret (requirement MF-08).
 */
@Injectable()
export class CustomerFactorsService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly factors: FactorsRepository,
    private readonly changes: FactorChangesService,
    private readonly lifecycle: AccountLifecycleService,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
  ) {}

  /** @throws GatehouseError `not_found` */
  async list(accessScope: AccessScope, id: string): Promise<CustomerFactors> {
    const { customer } = await this.customers.get(accessScope, id);
    return this.factors.list(customer.id);
  }

  /**
   * Removes a factor, ends all of the customer's sessions and notifies the customer.
   * @param reason for the audit log
   * @throws GatehouseError `not_found`, `project_archived`
   */
  async remove(accessScope: AccessScope, id: string, factorId: string, reason: string): Promise<void> {
    const { project } = await this.customers.getActive(accessScope, id);
    await this.transactions.join(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, id);
      if (!customer) throw notFound();
      await this.changes.remove(tx, project, customer, factorId, { reason });
      this.events.record(tx, await this.lifecycle.revokeAccess(tx, project, customer, 'factor_removed'));
    });
  }
}
