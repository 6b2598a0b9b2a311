import { Injectable } from '@nestjs/common';
import { GatehouseError, type Customer } from '@gatehouse/domain';
import { CustomersRepository, type NewEvent, type Tx } from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import type { UsedToken } from './one-time-links.service.js';

/** The kind of link with which a customer proved ownership of an address. Part of the event. */
export type VerifiedVia = 'link' | 'invite' | 'reset';

/** Records that a customer owns the address that a one-time token was sent to. */
@Injectable()
export class VerifiedAddressService {
  constructor(private readonly customers: CustomersRepository) {}

  /**
   * Marks the address of the token as verified, unless it already is.
   * @returns the updated customer and the events to record
   * @throws GatehouseError `invalid_token` if the customer no longer has the address
   */
  async markVerified(
    tx: Tx,
    { token, customer: before }: UsedToken,
    via: VerifiedVia,
  ): Promise<{ customer: Customer; events: NewEvent[] }> {
    if (before.email !== token.email) throw new GatehouseError('invalid_token');
    if (before.emailVerified) return { customer: before, events: [] };
    const customer = await this.customers.markEmailVerified(tx, token.project.id, before.id, token.email);
    const verification = {
      kind: 'email',
      email: token.email,
      via,
      requestedAt: token.createdAt.toISOString(),
      completedAt: now().toISOString(),
    };
    const event = customerEvent('verification.completed', customer!, token.project, { verification });
    return { customer: customer!, events: [event] };
  }
}
