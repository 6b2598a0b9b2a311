import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
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
  type CustomerWithPasswordHash,
  type IdentityKey,
  type NewEvent,
  type Tx,
} from '@gatehouse/persistence';
import { now, sha256 } from '@gatehouse/platform';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { ChangeRecordsService } from '../change-records/change-records.service.js';
import { customerDeletedEvent, customerEvent } from '../events/customer-events.js';
import { endedAccess, type AccessAction, type AccessPart } from './ended-access.js';

/** A proof that a customer owns an email address. */
interface AddressProof {
  /** The verified address. */
  email: string;
  /** The kind of email that verified the address, or `provider`. The event contains it. */
  via: 'link' | 'invite' | 'reset' | 'code' | 'provider';
  requestedAt: Date;
  /** The identity that verified the address. It stays linked. Default: none. */
  identity?: IdentityKey;
}

/** An action that ends access. */
interface Ending {
  tx: Tx;
  project: ProjectContext;
  /** Replaced with the updated customer when the password is removed. */
  customer: Customer;
  action: AccessAction;
  /** Session revocation reason. Default: the action. */
  reason?: RevocationReason;
  /** Session to keep. Default: none. */
  keptSessionId?: string | undefined;
  /** Identity to keep. Default: none. */
  keptIdentity?: IdentityKey | undefined;
}

/** The actions whose name is also the revocation reason of the sessions that they end. */
type Revocation = Extract<AccessAction, RevocationReason>;

/**
 * Disables, enables and deletes customers, verifies their addresses, and ends their access. No other service
 * does this. `ended-access.ts` lists what each action ends. Callers must lock the customer first.
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
    private readonly records: ChangeRecordsService,
  ) {}

  /**
   * Disables a customer, and ends their access.
   * @param reason for the audit log
   * @returns the updated customer
   */
  async disable(tx: Tx, project: ProjectContext, before: Customer, reason?: string): Promise<Customer> {
    const after = await this.customers.setDisabled(tx, project.id, before.id, true);
    if (after) await this.applyDisabled(tx, project, after, reason);
    return after ?? before;
  }

  /**
   * Enables a customer.
   * @param reason for the audit log
   * @returns the updated customer
   */
  async enable(tx: Tx, project: ProjectContext, before: Customer, reason?: string): Promise<Customer> {
    const after = await this.customers.setDisabled(tx, project.id, before.id, false);
    if (after) await this.applyDisabled(tx, project, after, reason);
    return after ?? before;
  }

  /** Records that the transaction has disabled or enabled a customer, and ends a disabled customer's access. */
  async applyDisabled(tx: Tx, project: ProjectContext, customer: Customer, reason?: string): Promise<void> {
    const details = reason === undefined ? {} : { reason };
    const type = customer.disabledAt === null ? 'customer.enabled' : 'customer.disabled';
    await this.records.record(tx, type, customer, project, { details });
    if (customer.disabledAt !== null)
      this.events.record(tx, await this.revokeAccess(tx, project, customer, 'customer_disabled'));
  }

  /** Deletes a customer with all data that belongs only to them, and erases their data in other records. */
  async delete(tx: Tx, project: ProjectContext, customer: Customer): Promise<void> {
    await this.end({ tx, project, customer, action: 'customer_deleted' });
    this.events.record(tx, [customerDeletedEvent(customer, project)]);
    this.audit.record(tx, customerAction('customer.deleted', customer, project));
  }

  /**
   * Marks a customer's address as verified, unless it already is.
   * @returns the events to record
   * @throws GatehouseError `invalid_token` if the customer no longer has the address
   */
  async markVerified(
    tx: Tx,
    project: ProjectContext,
    before: Customer,
    proof: AddressProof,
  ): Promise<NewEvent[]> {
    if (before.email !== proof.email) throw new GatehouseError('invalid_token');
    if (before.emailVerified) return [];
    const customer = await this.customers.markEmailVerified(tx, project.id, before.id, proof.email);
    return [verifiedEvent(customer!, project, proof)];
  }

  /**
   * Gives an account to the owner of its email address: ends all earlier access, and marks the address as verified.
   * Anyone who registered with another person's address loses access (FE-03). Everything that verifies an unverified
   * address calls this method, except the verification link, because claiming the account would sign out honest
   * customers.
   * @param reason session revocation reason
   * @returns the updated customer and the events to record
   * @throws GatehouseError `invalid_token` if the customer no longer has the address
   */
  async claim(
    tx: Tx,
    project: ProjectContext,
    before: CustomerWithPasswordHash,
    proof: AddressProof,
    reason: RevocationReason,
  ): Promise<{ customer: Customer; events: NewEvent[] }> {
    if (before.email !== proof.email) throw new GatehouseError('invalid_token');
    const keptIdentity = proof.identity;
    const ending: Ending = { tx, project, customer: before, action: 'address_claimed', reason, keptIdentity };
    const revoked = await this.end(ending);
    const { customer } = ending;
    // A password reset records its own event for the new password.
    const isRemoved = before.passwordHash !== null && reason !== 'password_reset';
    const events = [
      ...(before.emailVerified ? [] : [verifiedEvent(customer, project, proof)]),
      ...revoked,
      ...(isRemoved ? [customerEvent('password.changed', customer, project)] : []),
    ];
    return { customer, events };
  }

  /**
   * Claims an account with an unverified address for the owner of the address, who is signing in, and records
   * the events.
   * @returns the updated customer
   */
  async claimIfUnverified(
    tx: Tx,
    project: ProjectContext,
    before: CustomerWithPasswordHash,
    proof: AddressProof,
  ): Promise<Customer> {
    if (before.emailVerified) return before;
    const { customer, events } = await this.claim(tx, project, before, proof, 'address_claimed');
    this.events.record(tx, events);
    return customer;
  }

  /**
   * Ends all of a customer's existing access: the sessions except `keptSessionId`, every unused proof, code,
   * flow and challenge (requirement EX-01), and everything else that the action ends.
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
   * Voids links that were sent to a customer's previous address, and clears its failed sign-ins and codes.
   * @param before the customer with the previous address
   */
  async clearPreviousAddress(
    tx: Tx,
    project: ProjectContext,
    before: Customer,
    action: 'address_changed' | 'address_change_confirmed',
  ): Promise<void> {
    await this.end({ tx, project, customer: before, action });
  }

  /** Ends the parts of an action in order. @returns the events to record */
  private async end(ending: Ending): Promise<NewEvent[]> {
    const events: NewEvent[] = [];
    for (const part of endedAccess[ending.action].parts)
      events.push(...((await this.ends[part](ending)) ?? []));
    return events;
  }

  /** Functions that end each part. They return the events to record, if any. */
  private readonly ends: Record<AccessPart, (ending: Ending) => Promise<NewEvent[] | void>> = {
    password: async (ending) => {
      const { tx, project, customer } = ending;
      ending.customer = (await this.customers.claim(tx, project.id, customer.id, customer.email))!;
    },
    factors: ({ tx, customer }) => this.factors.deleteAll(tx, customer.id),
    identities: ({ tx, customer, keptIdentity }) => this.identities.deleteAll(tx, customer.id, keptIdentity),
    links: ({ tx, customer, action }) => {
      const ends = endedAccess[action];
      return this.tokens.voidAll(tx, customer.id, 'links' in ends ? ends.links : oneTimeTokenKinds);
    },
    signInTokens: ({ tx, customer }) => this.signInTokens.deleteAll(tx, customer.id),
    emailCodes: ({ tx, project, customer }) => this.emailCodes.deleteCodes(tx, project.id, customer.email),
    exchanges: ({ tx, project, customer }) =>
      this.exchanges.deleteAll(tx, project.id, customer.email, customer.id),
    // These records contain the address or its hash. They are deleted before the customer, because
    // `deleteExchangesAndFlows` reads the customer's identities.
    addressRecords: async ({ tx, project, customer: { id, email } }) => {
      const emailHash = sha256(email);
      await this.attempts.clear(project.id, emailHash, tx);
      await this.emailCodes.deleteCodesAndAttempts(tx, project.id, email, emailHash);
      await this.exchanges.deleteExchangesAndFlows(tx, project.id, email, id);
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

function verifiedEvent(
  customer: Customer,
  project: ProjectContext,
  { email, via, requestedAt }: AddressProof,
): NewEvent {
  const times = { requestedAt: requestedAt.toISOString(), completedAt: now().toISOString() };
  const verification = { kind: 'email', email, via, ...times };
  return customerEvent('verification.completed', customer, project, { verification });
}
