import { Injectable } from '@nestjs/common';
import {
  hasErrorCode,
  wellKnownDeviceName,
  type AddressMail,
  type IdentityDecision,
  type IdentityRejection,
  type ProjectContext,
  type ProviderProfile,
} from '@gatehouse/domain';
import { Transactions, type StoredProvider } from '@gatehouse/persistence';
import { AccountsService } from '../../accounts/accounts.service.js';
import { VerificationService } from '../../email/verification.service.js';
import type { Client } from '../../http/request-context.js';
import { respondUniformly } from '../../http/timing/respond-uniformly.js';
import { MailQuotaService } from '../../mail/mail-quota.service.js';
import { OneTimeLinksService } from '../../one-time-tokens/one-time-links.service.js';
import { ProviderSignInService, toAccountProfile } from './provider-sign-in.service.js';

/**
 * Decides whether a provider sign-in must be rejected. Covers both redirect sign-ins and sign-ins with id tokens from
 * apps.
 */
@Injectable()
export class ProviderRejectionsService {
  constructor(
    private readonly signIns: ProviderSignInService,
    private readonly accounts: AccountsService,
    private readonly links: OneTimeLinksService,
    private readonly verification: VerificationService,
    private readonly quota: MailQuotaService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Returns the reason why a sign-in is rejected, or null. With enumeration protection, the response for an
   * address that the provider has not verified is always the same, and takes the same time. The owner of the
   * address receives an email instead.
   * @throws GatehouseError `sso_required`
   */
  async check(
    project: ProjectContext,
    provider: StoredProvider,
    profile: ProviderProfile,
    client: Client,
  ): Promise<IdentityRejection | null> {
    const mustHideReason =
      project.settings.enumerationProtection && profile.email !== null && !profile.isEmailTrusted;
    const pendingDecision = this.decide(project, provider, profile, client);
    const decision = mustHideReason ? (await respondUniformly(pendingDecision))! : await pendingDecision;
    return 'rejection' in decision ? decision.rejection : null;
  }

  private async decide(
    project: ProjectContext,
    provider: StoredProvider,
    profile: ProviderProfile,
    client: Client,
  ): Promise<IdentityDecision> {
    const decision = await this.transactions.join((tx) =>
      this.signIns.preview(tx, project, provider, profile, client),
    );
    if ('mail' in decision) await this.send(project, provider, profile, client, decision.mail);
    return decision;
  }

  /**
   * Sends an email to an address's owner. For a new address, first creates the customer, who can sign in
   * after the verification.
   */
  private async send(
    project: ProjectContext,
    provider: StoredProvider,
    profile: ProviderProfile,
    client: Client,
    mail: AddressMail,
  ): Promise<void> {
    const email = profile.email!;
    if (mail === 'notice') {
      const notice = { kind: 'already-registered', recipient: email, isTrusted: false } as const;
      if (await this.quota.consumeForUnauthenticated(project, notice)) return;
      await this.transactions.join((tx) => this.links.notifyOwner(tx, email, project));
    }
    if (mail === 'verification') await this.verification.sendLink(project, email, null);
    if (mail === 'sign_up') await this.signUp(project, provider, profile, client);
  }

  private async signUp(
    project: ProjectContext,
    provider: StoredProvider,
    profile: ProviderProfile,
    client: Client,
  ): Promise<void> {
    const account = toAccountProfile(provider, profile, null);
    const admission = await this.accounts.countMail(await this.accounts.admit(project, 'provider', account));
    const proof = { device: wellKnownDeviceName(client.userAgent), identity: { provider, profile } };
    try {
      await this.transactions.join((tx) => this.accounts.create(tx, admission, proof));
    } catch (error) {
      // A concurrent sign-in with another address has just created a customer with this identity.
      if (!hasErrorCode(error, 'identity_already_linked')) throw error;
    }
  }
}
