import { Injectable } from '@nestjs/common';
import {
  notFound,
  oneTimeTokenKinds,
  type Customer,
  type ProjectContext,
  type RevocationReason,
} from '@gatehouse/domain';
import {
  ChallengesRepository,
  CustomersRepository,
  EmailCodesRepository,
  ErasuresRepository,
  EventsRepository,
  FactorsRepository,
  IdentitiesRepository,
  LoginAttemptsRepository,
  OneTimeTokensRepository,
  sessionRevokedEvent,
  SessionsRepository,
  SignInExchangesRepository,
  SignInTokensRepository,
  type IdentityKey,
  type NewEvent,
  type Tx,
} from '@gatehouse/persistence';
import { sha256 } from '@gatehouse/platform';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { customerDeletedEvent, customerEvent } from '../events/customer-events.js';
import { accessEnds, type AccessAction, type AccessPart } from './access-ends.js';

/** An action that ends access. */
interface Ending {
  tx: Tx;
  project: ProjectContext;
  /** Replaced by the customer without the password if that ends. */
  customer: Customer;
  action: AccessAction;
  /** The reason why the sessions end. Default: the action. */
  reason?: RevocationReason;
  /** The session that stays. Default: none. */
  keptSessionId?: string | undefined;
  /** The identity that stays. Default: none. */
  keptIdentity?: IdentityKey | undefined;
}

/** The actions that end sessions for the reason of the same name, and change nothing else. */
type Revocation = Extract<AccessAction, RevocationReason>;

/**
 * Disables, enables and deletes customers, and ends their access: nothing else does (`access-ends.ts` lists what each action
 * ends). The caller has locked the customer.
 */
@Injectable()
export class AccountLifecycleService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly sessions: SessionsRepository,
    private readonly challenges: ChallengesRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly signInTokens: SignInTokensRepository,
    private readonly factors: FactorsRepository,
    private readonly emailCodes: EmailCodesRepository,
    private readonly exchanges: SignInExchangesRepository,
    private readonly identities: IdentitiesRepository,
    private readonly attempts: LoginAttemptsRepository,
    private readonly erasures: ErasuresRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
  ) {}

  /**
   * Disables a customer, and ends their access.
   * @param reason for the audit log
   * @returns the updated customer
   */
  async disable(tx: Tx, project: ProjectContext, before: Customer, reason?: string): Promise<Customer> {
    const after = await this.customers.setDisabled(tx, project.id, before.id, true);
    if (after) this.events.record(tx, await this.applyDisabled(tx, project, after, reason));
    return after ?? before;
  }

  /** Enables a customer, like `disable`. */
  async enable(tx: Tx, project: ProjectContext, before: Customer, reason?: string): Promise<Customer> {
    const after = await this.customers.setDisabled(tx, project.id, before.id, false);
    if (after) this.events.record(tx, await this.applyDisabled(tx, project, after, reason));
    return after ?? before;
  }

  /**
   * Ends the access of a customer whom the transaction has disabled, or records that it has enabled them.
   * @returns the events to record
   */
  async applyDisabled(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    reason?: string,
  ): Promise<NewEvent[]> {
    const details = reason === undefined ? {} : { reason };
    const action = customer.disabledAt === null ? 'customer.enabled' : 'customer.disabled';
    this.audit.record(tx, customerAction(action, customer, project, details));
    const event = customerEvent(action, customer, project);
    if (customer.disabledAt === null) return [event];
    return [event, ...(await this.revokeAccess(tx, project, customer, 'customer_disabled'))];
  }

  /** Deletes a customer with all data that belongs only to them, and erases their data in other records. */
  async delete(tx: Tx, project: ProjectContext, customer: Customer): Promise<void> {
    await this.end({ tx, project, customer, action: 'customer_deleted' });
    this.events.record(tx, [customerDeletedEvent(customer, project)]);
    this.audit.record(tx, customerAction('customer.deleted', customer, project));
  }

  /**
   * Gives an account to the owner of its address, and verifies the address. A person who registered the address of another
   * person therefore keeps no access (FE-03).
   * @param keptIdentity the person at a provider who has proven the address, and stays linked
   * @returns the updated customer and the events to record
   */
  async claim(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    reason: RevocationReason,
    keptIdentity?: IdentityKey,
  ): Promise<{ customer: Customer; events: NewEvent[] }> {
    const ending: Ending = { tx, project, customer, action: 'address_claimed', reason, keptIdentity };
    const events = await this.end(ending);
    return { customer: ending.customer, events };
  }

  /**
   * Ends all access of a customer from before this moment: the sessions except `keptSessionId`, every proof, code, flow and
   * challenge that has not yet completed anything (requirement EX-01), and what else the action ends.
   * @returns the events to record
   */
  revokeAccess(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    action: Revocation,
    keptSessionId?: string,
  ): Promise<NewEvent[]> {
    return this.end({ tx, project, customer, action, keptSessionId });
  }

  /**
   * Ends what was sent to the previous address of a customer, and forgets its failed sign-ins.
   * @param before the customer with the previous address
   */
  async leaveAddress(
    tx: Tx,
    project: ProjectContext,
    before: Customer,
    action: 'address_changed' | 'address_change_confirmed',
  ): Promise<void> {
    await this.end({ tx, project, customer: before, action });
  }

  /** Ends the parts of the action, in their order. @returns the events to record */
  private async end(ending: Ending): Promise<NewEvent[]> {
    const events: NewEvent[] = [];
    for (const part of accessEnds[ending.action].parts)
      events.push(...((await this.ends[part](ending)) ?? []));
    return events;
  }

  /** Ends each part of the access. Returns the events to record, if there are any. */
  private readonly ends: Record<AccessPart, (ending: Ending) => Promise<NewEvent[] | void>> = {
    password: async (ending) => {
      const { tx, project, customer } = ending;
      ending.customer = (await this.customers.claim(tx, project.id, customer.id, customer.email))!;
    },
    factors: ({ tx, customer }) => this.factors.deleteAll(tx, customer.id),
    identities: ({ tx, customer, keptIdentity }) => this.identities.deleteAll(tx, customer.id, keptIdentity),
    links: ({ tx, customer, action }) => {
      const ends = accessEnds[action];
      return this.tokens.voidAll(tx, customer.id, 'links' in ends ? ends.links : oneTimeTokenKinds);
    },
    signInTokens: ({ tx, customer }) => this.signInTokens.deleteAll(tx, customer.id),
    emailCodes: ({ tx, project, customer }) => this.emailCodes.deleteCodes(tx, project.id, customer.email),
    exchanges: ({ tx, project, customer }) =>
      this.exchanges.deleteAll(tx, project.id, customer.email, customer.id),
    // They contain the address or a hash of it. Before the identities, which `forget` reads, are deleted with the customer.
    addressRecords: async ({ tx, project, customer: { id, email } }) => {
      const emailHash = sha256(email);
      await this.attempts.clear(project.id, emailHash, tx);
      await this.emailCodes.forget(tx, project.id, email, emailHash);
      await this.exchanges.forget(tx, project.id, email, id);
    },
    knownAddresses: ({ tx, customer }) => this.attempts.deleteKnownAddresses(tx, customer.id),
    proofs: ({ tx, project, customer }) => this.customers.revokeAccess(tx, project.id, customer.id),
    challenges: ({ tx, customer }) => this.challenges.voidAll(tx, customer.id),
    sessions: async ({ tx, project, customer, action, reason = action as Revocation, keptSessionId }) => {
      const ended = await this.sessions.revokeAll(tx, customer.id, reason, keptSessionId ?? null);
      return ended.map((session) => sessionRevokedEvent(session, customer, project, reason));
    },
    account: async ({ tx, project, customer }) => {
      if (!(await this.customers.delete(tx, project.id, customer.id))) throw notFound();
      await this.erasures.start(tx, customer.id);
    },
  };
}
