import { Injectable } from '@nestjs/common';
import { notFound, type AccessScope } from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  IdentitiesRepository,
  Transactions,
  type Identity,
} from '@gatehouse/persistence';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { AccountsService } from '../accounts/accounts.service.js';

/** Lists and removes customers' identities. Support cannot add an identity (requirement MF-08). */
@Injectable()
export class CustomerIdentitiesService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly accounts: AccountsService,
    private readonly lifecycle: AccountLifecycleService,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
  ) {}

  /** Returns a customer's identities, newest first. @throws GatehouseError `not_found` */
  async list(accessScope: AccessScope, id: string): Promise<Identity[]> {
    const { customer } = await this.customers.get(accessScope, id);
    return this.identities.list(customer.id);
  }

  /**
   * Removes an identity, even if it is the last sign-in method, ends all of the customer's sessions and notifies the customer.
   * @param reason for the audit log
   * @throws GatehouseError `not_found`, `project_archived`
   */
  async remove(accessScope: AccessScope, id: string, identityId: string, reason: string): Promise<void> {
    const { project } = await this.customers.getActive(accessScope, id);
    await this.transactions.join(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, id);
      if (!customer) throw notFound();
      await this.accounts.unlink(tx, project, customer, identityId, { reason });
      this.events.record(tx, await this.lifecycle.revokeAccess(tx, project, customer, 'identity_removed'));
    });
  }
}
