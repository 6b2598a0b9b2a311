import { Injectable } from '@nestjs/common';
import {
  decideIdentity,
  GatehouseError,
  isPending,
  newCustomer,
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
  EventsRepository,
  IdentitiesRepository,
  type ConnectedProvider,
  type CustomerForUpdate,
  type Tx,
} from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import { CustomerSummary } from '../customers/dto/customer.response.js';
import { VerificationService } from '../email/verification.service.js';
import { customerEvent } from '../events/customer-events.js';
import { FailedSignInsService } from '../factors/failed-sign-ins.service.js';
import type { Client } from '../http/request-context.js';
import { IdentityChangesService } from '../accounts/identity-changes.service.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { VerifiedAddressService } from '../accounts/verified-address.service.js';
import { CurrentProof } from './current-proof.js';
import { SignInService, type SignInOutcome } from './sign-in.service.js';

/** A proof that the person who signs in has an account at a provider. */
interface ProvenIdentity {
  provider: ConnectedProvider;
  profile: ProviderProfile;
  /** When the client began the sign-in, or when the provider issued the id token of a native one. */
  requestedAt: Date;
  /** When the proof was given. Default: now. */
  authTime?: Date;
  /** Language of a customer who is created. */
  locale: string | null | undefined;
  /** Consumes the proof, once the customer is locked. @returns false if it has been used in the meantime */
  consume: () => Promise<boolean>;
}

/** The customers whom a sign-in concerns, locked. */
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
    private readonly changes: IdentityChangesService,
    private readonly required: RequiredProvidersService,
    private readonly addresses: VerifiedAddressService,
    private readonly verification: VerificationService,
    private readonly signIns: SignInService,
    private readonly events: EventsRepository,
    private readonly failures: FailedSignInsService,
  ) {}

  /**
   * Returns what a sign-in would result in, and reports a refusal. The customers may change until the sign-in.
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
   * Signs in the customer to whom the person at the provider is linked. Links the person to the customer with the same
   * email, or creates a customer, as far as the provider is trusted.
   * @throws GatehouseError `method_not_enabled` for a provider that is disabled; `invalid_code` if the proof has been used or revoked;
   *   `account_exists`, `email_required`, `sign_up_not_allowed`, `sso_required`, and like `SignInService.complete`
   */
  async signIn(
    tx: Tx,
    project: ProjectContext,
    proof: ProvenIdentity,
    client: Client,
  ): Promise<SignInOutcome> {
    const { provider } = proof;
    if (!provider.enabled) throw new GatehouseError('method_not_enabled');
    // A concurrent sign-in of the same person may have created the customer.
    const found =
      (await this.resolve(tx, project, proof, client)) ?? (await this.resolve(tx, project, proof, client));
    if (!found || !(await proof.consume())) throw new GatehouseError('invalid_code');
    const { customer, isNew, proof: current } = found;
    const scope = { providerId: provider.id, sql: tx };
    if (isNew) await this.required.assertAllowed(project, customer.email, scope);
    // The customer stays, and signs in after the verification.
    if (isNew && this.signIns.findRefusal(project, customer))
      return { tokens: null, customer: CustomerSummary.from(customer), challenge: null };
    return this.signIns.complete(tx, project, customer, current, client, { isNew });
  }

  /**
   * Creates a customer whose address the provider has not verified, and sends the verification email.
   * @returns null if a customer has the address
   * @throws GatehouseError `identity_already_linked`
   */
  async createUnverified(
    tx: Tx,
    project: ProjectContext,
    { provider, profile, locale }: Pick<ProvenIdentity, 'provider' | 'profile' | 'locale'>,
    client: Client,
  ): Promise<Customer | null> {
    const created = await this.create(tx, project, { provider, profile, locale }, client, false);
    if (!created) return null;
    await this.verification.sendFirst(tx, created, project);
    return created;
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
    // Locking a customer whose identity is pending as well could end in a deadlock of two sign-ins.
    const linked =
      link?.isPending === false ? await this.customers.lock(tx, projectId, link.customerId) : null;
    if (linked) return { linked, owner: null, pendingAt: null };
    const owner = email === null ? null : await this.customers.lockWithEmail(tx, projectId, email);
    // While this transaction waited for the lock, a first sign-in of the same person may have linked the owner.
    const current = await findLink();
    const isOfOwner = owner !== null && current?.customerId === owner.id;
    if (isOfOwner && !current.isPending) return { linked: owner, owner: null, pendingAt: null };
    return { linked: null, owner, pendingAt: current?.isPending ? (isOfOwner ? 'owner' : 'other') : null };
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
    if (known && 'refusal' in decision) {
      const reason =
        local.pendingAt === 'owner' ? ('email_not_verified' as const) : ('account_exists' as const);
      const failure = { reason: known.disabledAt ? ('customer_disabled' as const) : reason, client };
      this.failures.reportRefusal(project, known, { ...failure, methods: ['fed'] });
    }
    return decision;
  }

  /** Returns null if a concurrent sign-in has just created the customer or the identity. */
  private async resolve(
    tx: Tx,
    project: ProjectContext,
    proof: ProvenIdentity,
    client: Client,
  ): Promise<FoundCustomer | null> {
    const { provider, profile, requestedAt, authTime } = proof;
    const local = await this.lock(tx, project, provider, profile);
    const decision = this.decide(project, provider, profile, local, client);
    if ('refusal' in decision) throw new GatehouseError(decision.refusal);
    const given = { amr: ['fed' as const], provider, authTime };
    const existing = local.linked ?? local.owner;
    if (existing) {
      const newIdentity = local.linked ? null : profile;
      const current = CurrentProof.of(existing, requestedAt, { ...given, newIdentity });
      if (!current) throw new GatehouseError('invalid_code');
      const customer = await this.identify(tx, project, existing, decision.action, proof);
      return customer && { customer, isNew: false, proof: current };
    }
    const customer =
      decision.action === 'create_verified'
        ? await this.create(tx, project, proof, client, true)
        : await this.createUnverified(tx, project, proof, client);
    return customer && { customer, isNew: true, proof: CurrentProof.ofNewCustomer(given) };
  }

  /**
   * Records the use of a linked identity, or claims the address of the customer to whom it is about to be linked. Returns
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
    // Changes nothing if the address is verified.
    return this.addresses.claimIfUnverified(tx, customer, project, address);
  }

  /** Returns null if the address has been taken in the meantime. */
  private async create(
    tx: Tx,
    project: ProjectContext,
    { provider, profile, locale }: Pick<ProvenIdentity, 'provider' | 'profile' | 'locale'>,
    client: Client,
    emailVerified: boolean,
  ): Promise<Customer | null> {
    const { firstName, lastName } = profile;
    const inserted = await this.customers.insert(tx, project.id, {
      id: newId(),
      ...newCustomer({ email: profile.email!, emailVerified, firstName, lastName, locale }),
      passwordHash: null,
      registrationDevice: wellKnownDeviceName(client.userAgent),
    });
    if (!inserted) return null;
    // Before the event, which contains the image.
    const customer = (await this.customers.fillProfile(tx, project.id, inserted.id, profile)) ?? inserted;
    this.events.record(tx, [customerEvent('customer.created', customer, project)]);
    const isPending = project.settings.enumerationProtection && !emailVerified;
    return this.changes.link(tx, project, customer, provider, profile, { isNew: true, isPending });
  }
}
