import { Injectable } from '@nestjs/common';
import { GatehouseError, type Customer, type ProjectContext } from '#domain';
import {
  CustomersRepository,
  EventsRepository,
  MailsRepository,
  OneTimeTokensRepository,
  Transactions,
  type NewEvent,
  type OneTimeToken,
  type Tx,
} from '#persistence';
import { Keyring, newId, now, secureBytes, sha256, type VerifyEmailParameters } from '#platform';
import type { VerifiedCustomer } from './dto/auth.response.js';
import { assertOriginAllowed } from '../http/origin.guard.js';
import { customerEvent } from './identity-events.js';

const KIND = 'verify-email';

/** Life of a verification token in seconds. */
const TOKEN_TTL = 24 * 60 * 60;

export interface Verification {
  customer: VerifiedCustomer;
  /** False when the same token had taken effect before. */
  isNew: boolean;
  redirectUrl: string | null;
}

/** Proof that a customer owns their e-mail address. */
@Injectable()
export class VerificationService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly mails: MailsRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
  ) {}

  /**
   * Writes a token and its mail with the change that asks for them; the worker sends the mail.
   * @returns the event to be recorded in the same transaction
   */
  async request(
    tx: Tx,
    customer: Customer,
    project: ProjectContext,
    redirectUrl: string | null,
  ): Promise<NewEvent> {
    const token = secureBytes(32).toString('base64url');
    const mailId = newId();
    await this.tokens.insert(tx, {
      id: newId(),
      customerId: customer.id,
      kind: KIND,
      email: customer.email,
      tokenHash: sha256(token),
      redirectUrl,
      ttl: TOKEN_TTL,
    });
    const parameters: VerifyEmailParameters = { projectName: project.name, token };
    await this.mails.insert(tx, {
      id: mailId,
      projectId: project.id,
      customerId: customer.id,
      kind: KIND,
      recipient: customer.email,
      parameters: this.keyring.encrypt('mail-parameters', mailId, JSON.stringify(parameters)),
    });
    return customerEvent('verification.requested', customer, project, {
      verification: { kind: 'email', email: customer.email, requestedAt: now().toISOString() },
    });
  }

  /** What a token would do, without doing it; null when it would do nothing. */
  async peek(token: string): Promise<OneTimeToken | null> {
    return this.tokens.find(KIND, sha256(token));
  }

  /**
   * Verifies the address that the token was sent to. Within its life a token answers the same every time, but
   * takes effect once.
   * @param origin of the page that asks, if it is not ours
   * @throws GatehouseError `invalid_token`, one body whatever is wrong with it; `origin_not_allowed`
   */
  async verify(token: string, origin?: string): Promise<Verification> {
    return this.transactions.run(async (tx) => {
      const found = await this.tokens.find(KIND, sha256(token), tx);
      if (!found) throw new GatehouseError('invalid_token');
      assertOriginAllowed(origin, found.settings);
      const isNew = await this.tokens.consume(tx, found.id);
      if (isNew) await this.complete(tx, found);
      const customer = { id: found.customerId, email: found.email, emailVerified: true as const };
      return { customer, isNew, redirectUrl: found.redirectUrl };
    });
  }

  private async complete(tx: Tx, token: OneTimeToken): Promise<void> {
    const customer = await this.customers.markVerified(tx, token.customerId, token.email);
    if (!customer) throw new GatehouseError('invalid_token');
    const verification = {
      kind: 'email',
      email: token.email,
      via: 'link',
      requestedAt: token.createdAt.toISOString(),
      completedAt: now().toISOString(),
    };
    await this.events.record(tx, [
      customerEvent('verification.completed', customer, token, { verification }),
    ]);
  }
}
