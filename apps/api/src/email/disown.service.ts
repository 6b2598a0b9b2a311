import { Injectable } from '@nestjs/common';
import { GatehouseError, type OneTimeTokenKind } from '@gatehouse/domain';
import { EventsRepository, Transactions, type OneTimeToken, type Tx } from '@gatehouse/persistence';
import { AuditService, customerAction } from '../audit/audit.service.js';
import type { LinkClient } from '../http/request-context.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { OneTimeLinksService, type UsedToken } from '../one-time-tokens/one-time-links.service.js';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { PasswordResetService } from '../passwords/password-reset.service.js';
import type { VerifiedCustomer } from './dto/email.response.js';

/**
 * The kinds of links that the owner of an address receives when another person registers with the address or changes an
 * account's address to it.
 */
const KINDS: readonly OneTimeTokenKind[] = ['verify-email', 'change-email-new'];

/**
 * Gives an account to the owner of its email address after another person registered with the address or changed the
 * account's address to it (ADR 0036).
 */
@Injectable()
export class DisownService {
  constructor(
    private readonly links: OneTimeLinksService,
    private readonly lifecycle: AccountLifecycleService,
    private readonly resets: PasswordResetService,
    private readonly required: RequiredProvidersService,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Returns the token of a verification or email change link, even if it is used or expired, or null if it is
   * unknown.
   */
  find(token: string): Promise<OneTimeToken | null> {
    return this.links.find(KINDS, token);
  }

  /**
   * Removes all access to the account, verifies the address to which the token was sent, and emails a link to set a
   * password to this address. A token that has already verified the address is also accepted, because the owner may
   * notice only afterwards. An address change must be complete. Until the token expires, every request returns the same
   * response, but only the first one takes effect. No request takes effect if the owner has set a password with a link
   * since the token was sent.
   * @param client the client that sent the token; undefined if a hosted page has checked it
   * @throws GatehouseError `rate_limited`, `invalid_token`, `origin_not_allowed`
   */
  async disown(token: string, client?: LinkClient): Promise<VerifiedCustomer> {
    return this.transactions.join(async (tx) => {
      const used = await this.links.use(tx, KINDS, token, client);
      if (used.customer.email !== used.token.email) throw new GatehouseError('invalid_token');
      if (!used.token.isClaimed) await this.removeAccess(tx, used);
      return { id: used.customer.id, email: used.token.email, emailVerified: true as const };
    });
  }

  private async removeAccess(tx: Tx, { token, customer: before }: UsedToken): Promise<void> {
    const { project, email, createdAt, redirectUrl } = token;
    const proof = { email, via: 'link', requestedAt: createdAt } as const;
    const { customer, events } = await this.lifecycle.claim(tx, project, before, proof, 'disowned');
    // The link is only emailed, because a person who finds this token must not gain access to the account. It does not
    // count toward a quota: a stranger could exhaust the quota, and each token sends at most one email.
    const canReset = project.settings.signIn.password && !(await this.required.find(project, email, tx));
    const requested = canReset ? [await this.resets.createLink(tx, customer, project, redirectUrl)] : [];
    this.events.record(tx, [...events, ...requested]);
    const action = customerAction('customer.disowned', customer, project);
    this.audit.record(tx, { ...action, customerId: customer.id });
  }
}
