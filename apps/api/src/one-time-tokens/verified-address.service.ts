import { Injectable } from '@nestjs/common';
import { GatehouseError, type Customer } from '@gatehouse/domain';
import { CustomersRepository, type NewEvent, type Tx } from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import type { UsedToken } from './one-time-links.service.js';

/** How a customer proved to own their address; part of the event. */
export type VerifiedVia = 'link' | 'invite' | 'reset';

/** Records that a customer owns the address that a one-time token was sent to. */
@Injectable()
export class VerifiedAddressService {
  constructor(private readonly customers: CustomersRepository) {}

  /**
   * Marks the token's address as verified, if it is not yet.
   * @returns the customer as they are now, and the events to record
   * @throws GatehouseError `invalid_token` when the address is no longer the customer's
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
