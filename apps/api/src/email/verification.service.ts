import { Injectable } from '@nestjs/common';
import type { Customer, ProjectContext } from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  IdentitiesRepository,
  Transactions,
  type OneTimeToken,
} from '@gatehouse/persistence';
import type { LinkClient } from '../http/request-context.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { MailQuotaService, type MailRequest } from '../mail/mail-quota.service.js';
import {
  assertRedirectUrl,
  isReachable,
  OneTimeLinksService,
} from '../one-time-tokens/one-time-links.service.js';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import type { VerifiedCustomer } from './dto/email.response.js';
import { respondUniformly } from '../http/timing/respond-uniformly.js';

const KIND = 'verify-email';

/** Verifies that customers own their email addresses. */
@Injectable()
export class VerificationService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly links: OneTimeLinksService,
    private readonly lifecycle: AccountLifecycleService,
    private readonly quota: MailQuotaService,
    private readonly required: RequiredProvidersService,
    private readonly identities: IdentitiesRepository,
  ) {}

  /**
   * Resends the verification email, unless it was just sent or there is no recipient. The response is the same
   * in every case.
   * @throws GatehouseError `validation_failed`
   */
  async resend(project: ProjectContext, email: string, redirectUrl: string | undefined): Promise<void> {
    assertRedirectUrl(project, redirectUrl);
    await respondUniformly(this.sendLink(project, email, redirectUrl ?? null));
  }

  /** Returns a verification link's token, even if it is used or expired, or null if it is unknown. */
  find(token: string): Promise<OneTimeToken | null> {
    return this.links.find([KIND], token);
  }

  /** Resends an expired link to its original address. */
  async resendExpired({ project, email, redirectUrl }: OneTimeToken): Promise<void> {
    await this.sendLink(project, email, redirectUrl);
  }

  /**
   * Verifies the address that the token was sent to. Until the token expires, every request returns the same
   * response, but only the first one takes effect.
   * @param client the client that sent the token; undefined if a hosted page has checked it
   * @throws GatehouseError `rate_limited`, `invalid_token`, `origin_not_allowed`
   */
  async verify(token: string, client?: LinkClient): Promise<VerifiedCustomer> {
    return this.transactions.join(async (tx) => {
      const used = await this.links.use(tx, [KIND], token, client);
      const { customer, token: link } = used;
      if (used.isFirstUse) {
        const proof = { email: link.email, via: 'link', requestedAt: link.createdAt } as const;
        this.events.record(tx, await this.lifecycle.markVerified(tx, link.project, customer, proof));
      }
      return { id: customer.id, email: link.email, emailVerified: true as const };
    });
  }

  /**
   * Returns true if a customer can use a verified address. If its domain requires a provider, only customers with an
   * identity at this provider can sign in, so only they can use the address.
   */
  private async canUse(project: ProjectContext, { id, email }: Customer): Promise<boolean> {
    const required = await this.required.find(project, email);
    return required === null || (await this.identities.listByProvider(id, required.id)).length > 0;
  }

  /** Resends the verification email, like `resend`, for callers whose own response reveals nothing. */
  async sendLink(project: ProjectContext, email: string, redirectUrl: string | null): Promise<void> {
    const found = await this.customers.findByEmail(project.id, email);
    if (!isReachable(found, email) || found.emailVerified) return;
    if (!(await this.canUse(project, found))) return;
    const verification: MailRequest = { kind: KIND, recipient: email, isTrusted: false };
    const rejection = await this.quota.consumeForUnauthenticated(project, verification);
    if (rejection) return this.quota.recordDropped(project, found.id, verification, rejection);
    await this.transactions.join(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, found.id);
      if (!isReachable(customer, email) || customer.emailVerified) return;
      const requested = await this.links.sendVerification(tx, customer, project, redirectUrl);
      this.events.record(tx, [requested]);
    });
  }
}
