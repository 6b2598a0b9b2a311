import { Injectable } from '@nestjs/common';
import { GatehouseError, type Customer, type ProjectContext, type RevocationReason } from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  type CustomerWithPasswordHash,
  type IdentityKey,
  type NewEvent,
  type Tx,
} from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import { AccountLifecycleService } from './account-lifecycle.service.js';

/** The kind of email, or the provider, with which a customer proved ownership of an address. Part of the event. */
export type VerifiedVia = 'link' | 'invite' | 'reset' | 'code' | 'provider';

/** A proof that a customer owns an email address. */
export interface AddressProof {
  /** The address that was proven. */
  email: string;
  via: VerifiedVia;
  requestedAt: Date;
  /** The person at a provider who has proven the address, and stays linked. Default: none. */
  identity?: IdentityKey;
}

/** Records that a customer owns an email address. */
@Injectable()
export class VerifiedAddressService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly lifecycle: AccountLifecycleService,
    private readonly events: EventsRepository,
  ) {}

  /**
   * Marks the address of a customer as verified, unless it already is. The caller has locked the customer.
   * @returns the events to record
   * @throws GatehouseError `invalid_token` if the customer no longer has the address
   */
  async markVerified(
    tx: Tx,
    before: Customer,
    project: ProjectContext,
    proof: AddressProof,
  ): Promise<NewEvent[]> {
    if (before.email !== proof.email) throw new GatehouseError('invalid_token');
    if (before.emailVerified) return [];
    const customer = await this.customers.markEmailVerified(tx, project.id, before.id, proof.email);
    return verifiedEvents(before, customer!, project, proof);
  }

  /**
   * Gives an account to the owner of its address: ends all access from before the proof, and verifies the address. Every
   * proof of an unverified address calls it, except the verification link, which would sign out honest customers. The
   * caller has locked the customer.
   * @param reason the reason why the sessions end
   * @returns the updated customer and the events to record
   * @throws GatehouseError `invalid_token` if the customer no longer has the address
   */
  async claimAddress(
    tx: Tx,
    before: Customer,
    project: ProjectContext,
    proof: AddressProof,
    reason: RevocationReason,
  ): Promise<{ customer: Customer; events: NewEvent[] }> {
    if (before.email !== proof.email) throw new GatehouseError('invalid_token');
    const { customer, events } = await this.lifecycle.claim(tx, project, before, reason, proof.identity);
    return { customer, events: [...verifiedEvents(before, customer, project, proof), ...events] };
  }

  /**
   * Gives an account whose address is not verified to the owner of the address, who signs in with a proof of it, and
   * records the events. The caller has locked the customer.
   * @returns the updated customer
   */
  async claimIfUnverified(
    tx: Tx,
    before: CustomerWithPasswordHash,
    project: ProjectContext,
    proof: AddressProof,
  ): Promise<Customer> {
    if (before.emailVerified) return before;
    const { customer, events } = await this.claimAddress(tx, before, project, proof, 'address_claimed');
    const hadPassword = before.passwordHash !== null;
    this.events.record(tx, [
      ...events,
      ...(hadPassword ? [customerEvent('password.changed', customer, project)] : []),
    ]);
    return customer;
  }
}

/** Returns the event of a verification, or none if the address was already verified. */
function verifiedEvents(
  before: Customer,
  customer: Customer,
  project: ProjectContext,
  { email, via, requestedAt }: AddressProof,
): NewEvent[] {
  if (before.emailVerified) return [];
  const verification = {
    kind: 'email',
    email,
    via,
    requestedAt: requestedAt.toISOString(),
    completedAt: now().toISOString(),
  };
  return [customerEvent('verification.completed', customer, project, { verification })];
}
