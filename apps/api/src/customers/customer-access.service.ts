import { Injectable } from '@nestjs/common';
import { oneTimeTokenKinds, type Customer, type ProjectContext } from '@gatehouse/domain';
import { OneTimeTokensRepository, type NewEvent, type Tx } from '@gatehouse/persistence';
import { PasswordCheckService } from '../passwords/password-check.service.js';
import { SessionsService } from '../sessions/sessions.service.js';

/** Ends access that a change of a customer makes invalid. The caller has locked the customer. */
@Injectable()
export class CustomerAccessService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly passwords: PasswordCheckService,
    private readonly tokens: OneTimeTokensRepository,
  ) {}

  /** Voids the links and ends the sessions of a disabled customer. @returns the events to record */
  async endAll(tx: Tx, customer: Customer, project: ProjectContext): Promise<NewEvent[]> {
    // Voided permanently, so that no pending link becomes usable again when the customer is enabled.
    await this.tokens.voidAll(tx, customer.id, oneTimeTokenKinds);
    return this.sessions.endAll(tx, customer, project, 'customer_disabled');
  }

  /** Voids the links that were sent to the previous address of a customer, and forgets its failed sign-ins. */
  async forgetEmail(tx: Tx, before: Customer): Promise<void> {
    await this.tokens.voidAll(tx, before.id, oneTimeTokenKinds);
    await this.passwords.forgetFailures(tx, before);
  }
}
