import { Injectable } from '@nestjs/common';
import {
  decideIdentity,
  GatehouseError,
  isPending,
  wellKnownDeviceName,
  type Customer,
  type IdentityAction,
  type IdentityDecision,
  type IdentityProvider,
  type ProjectContext,
  type ProviderProfile,
  type ProviderSignIn,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  IdentitiesRepository,
  type StoredProvider,
  type CustomerForUpdate,
  type Tx,
} from '@gatehouse/persistence';
import {
  AccountNeeded,
  AccountsService,
  type AccountProfile,
  type Admission,
} from '../../accounts/accounts.service.js';
import { FailedSignInsService } from '../../factors/failed-sign-ins.service.js';
import type { Client } from '../../http/request-context.js';
import { RequiredProvidersService } from '../../identities/required-providers.service.js';
import { AccountLifecycleService } from '../../accounts/account-lifecycle.service.js';
import { CurrentProof } from '../../sign-in/current-proof.js';
import { SignInService, type SignInOutcome } from '../../sign-in/sign-in.service.js';

/** A proof that the customer who signs in has an account with a provider. */
interface ProvenIdentity {
  provider: StoredProvider;
  profile: ProviderProfile;
  /**
   * Time at which the client began the sign-in, or at which the provider issued the id token of a native
   * sign-in.
   */
  requestedAt: Date;
  /** Time of the proof. Default: now. */
  authTime?: Date;
  /** Locale of a customer that is created. */
  locale: string | null | undefined;
  /** Consumes the proof, once the customer is locked. @returns false if it has been used in the meantime */
  consume: () => Promise<boolean>;
}

/** The locked customers that a sign-in concerns. */
interface LocalCustomers {
  linked: CustomerForUpdate | null;
  owner: CustomerForUpdate | null;
  pendingAt: ProviderSignIn['pendingAt'];
}

/** The customer who signs in. */
interface FoundCustomer {
  customer: Customer;
  isNew: boolean;
  proof: CurrentProof;
}

/** Signs customers in with their accounts at identity providers (sign-in contract, section 4). */
@Injectable()
export class ProviderSignInService {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly customers: CustomersRepository,
    private readonly accounts: AccountsService,
    private readonly required: RequiredProvidersService,
    private readonly lifecycle: AccountLifecycleService,
    private readonly signIns: SignInService,
    private readonly failures: FailedSignInsService,
  ) {}

  /**
   * Returns the expected result of a sign-in, and reports a rejection. The customers may change before the
   * sign-in.
   * @throws GatehouseError `sso_required`
   */
  async preview(
    tx: Tx,
    project: ProjectContext,
    provider: IdentityProvider,
    profile: ProviderProfile,
    client: Client,
  ): Promise<IdentityDecision> {
    const local = await this.lock(tx, project, provider, profile);
    const email = (local.linked ?? local.owner ?? profile).email;
    if (email !== null)
      await this.required.assertAllowed(project, email, { providerId: provider.id, sql: tx });
    return this.decide(project, provider, profile, local, client);
  }

  /**
   * Signs in the customer who is linked to the identity. Otherwise, links the identity to the customer with the
   * same email, or creates a customer, depending on whether the provider is trusted.
   * @returns `AccountNeeded` if a customer must be created and there is no admission
   * @throws GatehouseError `method_not_enabled` for a disabled provider; `invalid_code` if the proof has been
   *   used or revoked; `account_exists`, `email_required`, `sign_up_not_allowed`, and the errors of
   *   `SignInService.complete`
   */
  async signIn(
    tx: Tx,
    project: ProjectContext,
    proof: ProvenIdentity,
    client: Client,
    admission: Admission | null,
  ): Promise<SignInOutcome | AccountNeeded> {
    const { provider } = proof;
    if (!provider.enabled) throw new GatehouseError('method_not_enabled');
    const resolve = () => this.resolve(tx, project, proof, client, admission);
    // A concurrent sign-in with the same identity may have created the customer.
    const found = (await resolve()) ?? (await resolve());
    if (found instanceof AccountNeeded) return found;
    if (!found || !(await proof.consume())) throw new GatehouseError('invalid_code');
    const { customer, isNew, proof: current } = found;
    return this.signIns.complete(tx, project, customer, current, client, { isNew });
  }

  private async lock(
    tx: Tx,
    { id: projectId, settings }: ProjectContext,
    provider: IdentityProvider,
    profile: ProviderProfile,
  ): Promise<LocalCustomers> {
    const { subject, email } = profile;
    const findLink = async () => {
      const link = await this.identities.findLink(provider.id, subject, tx);
      const facts = { profile, hidesAccounts: settings.enumerationProtection };
      return link && { customerId: link.customerId, isPending: isPending(link, facts) };
    };
    const link = await findLink();
    // A customer with a pending identity is not locked first, because two sign-ins could deadlock.
    const linked =
      link?.isPending === false ? await this.customers.lock(tx, projectId, link.customerId) : null;
    if (linked) return { linked, owner: null, pendingAt: null };
    const owner = email === null ? null : await this.customers.lockWithEmail(tx, projectId, email);
    // While this transaction waited for the lock, a first sign-in with the same identity may have linked it to the
    // owner.
    const current = await findLink();
    const belongsToOwner = owner !== null && current?.customerId === owner.id;
    if (belongsToOwner && !current.isPending) return { linked: owner, owner: null, pendingAt: null };
    return {
      linked: null,
      owner,
      pendingAt: current?.isPending ? (belongsToOwner ? 'owner' : 'other') : null,
    };
  }

  private decide(
    project: ProjectContext,
    provider: IdentityProvider,
    profile: ProviderProfile,
    local: LocalCustomers,
    client: Client,
  ): IdentityDecision {
    const { signIn, enumerationProtection: hidesAccounts } = project.settings;
    const allowSignUp = signIn.allowSignUp && provider.allowSignUp;
    const decision = decideIdentity({ profile, ...local, allowSignUp, hidesAccounts });
    const known = local.linked ?? local.owner;
    if (known && 'rejection' in decision) {
      const reason =
        local.pendingAt === 'owner' ? ('email_not_verified' as const) : ('account_exists' as const);
      const failure = { reason: known.disabledAt ? ('customer_disabled' as const) : reason, client };
      this.failures.reportRejection(project, known, { ...failure, methods: ['fed'] });
    }
    return decision;
  }

  /** Returns null if a concurrent sign-in has just created the customer or the identity. */
  private async resolve(
    tx: Tx,
    project: ProjectContext,
    proof: ProvenIdentity,
    client: Client,
    admission: Admission | null,
  ): Promise<FoundCustomer | AccountNeeded | null> {
    const { provider, profile, requestedAt, authTime } = proof;
    const local = await this.lock(tx, project, provider, profile);
    const decision = this.decide(project, provider, profile, local, client);
    if ('rejection' in decision) throw new GatehouseError(decision.rejection);
    const given = { amr: ['fed' as const], provider, authTime };
    const existing = local.linked ?? local.owner;
    if (existing) {
      const newIdentity = local.linked ? null : profile;
      const current = CurrentProof.verify(existing, requestedAt, { ...given, newIdentity });
      if (!current) throw new GatehouseError('invalid_code');
      const customer = await this.identify(tx, project, existing, decision.action, proof);
      return customer && { customer, isNew: false, proof: current };
    }
    if (!admission) return new AccountNeeded('provider', toAccountProfile(provider, profile, proof.locale));
    const device = wellKnownDeviceName(client.userAgent);
    const customer = await this.accounts.create(tx, admission, { device, identity: proof });
    return customer && { customer, isNew: true, proof: CurrentProof.forNewCustomer(given) };
  }

  /**
   * Records that a linked identity was used, or claims the customer's address before the identity is linked. Returns
   * null if the identity has been unlinked in the meantime.
   */
  private async identify(
    tx: Tx,
    project: ProjectContext,
    customer: CustomerForUpdate,
    action: IdentityAction,
    { provider, profile, requestedAt }: ProvenIdentity,
  ): Promise<Customer | null> {
    const { subject, email } = profile;
    const identity = { providerId: provider.id, customerId: customer.id, subject, email };
    const isLinked = action === 'sign_in' || action === 'claim_and_sign_in';
    if (isLinked && !(await this.identities.recordUse(tx, identity))) return null;
    if (action === 'sign_in') return customer;
    const address = { email: customer.email, via: 'provider', requestedAt, identity } as const;
    // Does nothing if the address is already verified.
    return this.lifecycle.claimIfUnverified(tx, project, customer, address);
  }
}

/**
 * Converts a provider profile to an account profile. The address counts as verified if the provider is trusted to have
 * verified it.
 */
export const toAccountProfile = (
  provider: StoredProvider,
  { email, isEmailTrusted: emailVerified, firstName, lastName }: ProviderProfile,
  locale: string | null | undefined,
): AccountProfile => ({ fields: { email: email!, emailVerified, firstName, lastName, locale }, provider });
