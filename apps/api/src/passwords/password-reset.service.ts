import { Injectable } from '@nestjs/common';
import {
  assertMethodEnabled,
  GatehouseError,
  hasErrorCode,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  Transactions,
  type NewEvent,
  type OneTimeToken,
  type Tx,
} from '@gatehouse/persistence';
import { now, PasswordHasher } from '@gatehouse/platform';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { customerEvent } from '../events/customer-events.js';
import { assertWithinLimit } from '../http/limits/address-limit.js';
import { assertOriginAllowed } from '../http/origin.guard.js';
import type { Client } from '../http/request-context.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { MailQuotaService, type MailRequest } from '../mail/mail-quota.service.js';
import {
  assertRedirectUrl,
  isReachable,
  isRepeatable,
  OneTimeLinksService,
  type UsedToken,
} from '../one-time-tokens/one-time-links.service.js';
import { PasswordCheckService } from './password-check.service.js';
import { PasswordPolicyService } from './password-policy.service.js';
import { respondUniformly } from '../http/timing/respond-uniformly.js';

/** Kinds of tokens that can set a password. An invitation sets the first one. */
const KINDS = ['reset-password', 'accept-invite'] as const;

/** Sets a new password for a customer who proves ownership of the email address. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly links: OneTimeLinksService,
    private readonly passwords: PasswordCheckService,
    private readonly policy: PasswordPolicyService,
    private readonly required: RequiredProvidersService,
    private readonly hasher: PasswordHasher,
    private readonly lifecycle: AccountLifecycleService,
    private readonly quota: MailQuotaService,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Sends a link to set a new password if a customer has the address. The response is the same in either case.
   * @throws GatehouseError `method_not_enabled`, `validation_failed`
   */
  async requestReset(project: ProjectContext, email: string, redirectUrl: string | undefined): Promise<void> {
    assertMethodEnabled(project, 'password');
    assertRedirectUrl(project, redirectUrl);
    await respondUniformly(this.sendLink(project, email, redirectUrl ?? null));
  }

  /**
   * Sends a new link to the same address, to replace an expired one.
   * @throws GatehouseError `method_not_enabled`
   */
  async resendExpired(expired: OneTimeToken): Promise<void> {
    const { project, email, redirectUrl } = expired;
    assertMethodEnabled(project, 'password');
    if (expired.kind === 'reset-password') return this.sendLink(project, email, redirectUrl);
    if (await this.required.find(project, email)) return;
    const { id } = expired.customer;
    // The token proves that the invitation reached the address.
    const invitation: MailRequest = { kind: 'accept-invite', recipient: email, isTrusted: true };
    const rejection = await this.quota.consumeForUnauthenticated(project, invitation);
    if (rejection) return this.quota.recordDropped(project, id, invitation, rejection);
    await this.transactions.join(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, id);
      if (!isReachable(customer, email)) return;
      await this.links.send(tx, { kind: 'accept-invite', customer, project, redirectUrl });
    });
  }

  private async sendLink(project: ProjectContext, email: string, redirectUrl: string | null): Promise<void> {
    const found = await this.customers.findByEmail(project.id, email);
    if (!isReachable(found, email) || (await this.required.find(project, email))) return;
    const reset: MailRequest = { kind: 'reset-password', recipient: email, isTrusted: found.emailVerified };
    const rejection = await this.quota.consumeForUnauthenticated(project, reset);
    if (rejection) return this.quota.recordDropped(project, found.id, reset, rejection);
    await this.transactions.join(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, found.id);
      if (!isReachable(customer, email)) return;
      this.events.record(tx, [await this.createLink(tx, customer, project, redirectUrl)]);
    });
  }

  /**
   * Creates a token and its email. The caller must have locked the customer.
   * @returns the event to record in the same transaction
   */
  async createLink(
    tx: Tx,
    customer: Customer,
    project: ProjectContext,
    redirectUrl: string | null,
  ): Promise<NewEvent> {
    await this.links.send(tx, { kind: 'reset-password', customer, project, redirectUrl });
    const reset = { email: customer.email, requestedAt: now().toISOString() };
    return customerEvent('password.reset_requested', customer, project, { reset });
  }

  /**
   * Returns the token of a reset or invitation link in any state, or null if it does not exist. Does not consume it.
   */
  find(token: string): Promise<OneTimeToken | null> {
    return this.links.find(KINDS, token);
  }

  /**
   * Sets the password of the customer to whom the token belongs, verifies the address, ends all sessions, and voids all
   * other links of these kinds. Does not sign the customer in.
   * @throws GatehouseError `rate_limited`, `invalid_token`, `weak_password` (the token stays valid),
   * `origin_not_allowed`, `method_not_enabled`, `sso_required`, `overloaded`
   */
  async reset(token: string, password: string, client: Client): Promise<void> {
    const oneTimeToken = await this.find(token);
    await assertWithinLimit(client.counted, oneTimeToken?.project ?? null);
    // Checked before the token is consumed, so that no password is hashed for an invalid token.
    if (oneTimeToken?.state !== 'live') throw new GatehouseError('invalid_token');
    const { project } = oneTimeToken;
    assertOriginAllowed(client.origin, project.settings);
    assertMethodEnabled(project, 'password');
    await this.required.assertAllowed(project, oneTimeToken.email);
    await this.policy.assertStrong(project, oneTimeToken.email, password);
    const passwordHash = await this.hasher.hashFor(project, password, { signal: client.signal });
    await this.transactions.join(async (tx) => {
      const used = await this.links.use(tx, KINDS, token, client);
      if (!used.isFirstUse) throw new GatehouseError('invalid_token');
      this.events.record(tx, await this.replacePassword(tx, used, passwordHash));
      const { kind, project } = used.token;
      const action = customerAction('customer.password_reset', used.customer, project, { link: kind });
      this.audit.record(tx, { ...action, customerId: used.customer.id });
    });
  }

  /**
   * Sets the password as `reset` does. Does nothing if the token has set this password within the last minute.
   * @throws GatehouseError with the same codes as `reset`
   */
  async submit(token: string, password: string, client: Client): Promise<void> {
    try {
      await this.reset(token, password, client);
    } catch (error) {
      if (!hasErrorCode(error, 'invalid_token') || !(await this.isRepeated(token, password, client)))
        throw error;
    }
  }

  /**
   * Returns true if a used token has just set this password. The token proves nothing anymore, so a wrong password
   * counts as a failed sign-in.
   */
  private async isRepeated(token: string, password: string, client: Client): Promise<boolean> {
    const used = await this.find(token);
    if (!isRepeatable(used)) return false;
    const { project, email } = used;
    try {
      const authenticated = await this.passwords.check(project, email, password, client);
      await this.passwords.releaseAttempt(project, authenticated);
      return true;
    } catch (error) {
      if (hasErrorCode(error, 'invalid_credentials', 'too_many_attempts')) return false;
      throw error;
    }
  }

  private async replacePassword(tx: Tx, used: UsedToken, passwordHash: string): Promise<NewEvent[]> {
    const { project, kind } = used.token;
    const isInvite = kind === 'accept-invite';
    const claimed = await this.claimIfUnverified(tx, used);
    const customer = await this.customers.resetPassword(tx, project.id, used.customer.id, passwordHash);
    const revoked = await this.lifecycle.revokeAccess(tx, project, customer, 'password_reset');
    if (!isInvite) await this.links.notify(tx, 'password-changed', customer, project);
    const unlocked = await this.passwords.unlock(tx, project, customer);
    const reset = { email: customer.email, requestedAt: used.token.createdAt.toISOString() };
    return [
      ...claimed,
      isInvite
        ? customerEvent('password.changed', customer, project)
        : customerEvent('password.reset_completed', customer, project, { reset }),
      ...revoked,
      ...unlocked,
    ];
  }

  /**
   * Removes all access from before the proof if the address was unverified.
   * @returns the events to record
   * @throws GatehouseError `invalid_token` if the customer no longer has the address
   */
  private async claimIfUnverified(tx: Tx, { token, customer }: UsedToken): Promise<NewEvent[]> {
    const { project, kind, email, createdAt } = token;
    if (customer.emailVerified && customer.email === email) return [];
    const via = kind === 'accept-invite' ? 'invite' : 'reset';
    const proof = { email, via, requestedAt: createdAt } as const;
    return (await this.lifecycle.claim(tx, project, customer, proof, 'password_reset')).events;
  }
}
