import { Injectable } from '@nestjs/common';
import {
  decideIdentity,
  GatehouseError,
  newCustomer,
  wellKnownDeviceName,
  type Customer,
  type IdentityDecision,
  type IdentityProvider,
  type ProjectContext,
  type ProviderProfile,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  IdentitiesRepository,
  type ConnectedProvider,
  type CustomerWithPasswordHash,
  type Tx,
} from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import { CustomerSummary } from '../customers/dto/customer.response.js';
import { VerificationService } from '../email/verification.service.js';
import { customerEvent } from '../events/customer-events.js';
import { FailedSignInsService } from '../factors/failed-sign-ins.service.js';
import type { Client } from '../http/request-context.js';
import { IdentityChangesService } from '../identities/identity-changes.service.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { VerifiedAddressService } from '../one-time-tokens/verified-address.service.js';
import { SignInService, type SignInOutcome } from './sign-in.service.js';

/** A proof that the person who signs in has an account at a provider. */
interface ProvenIdentity {
  provider: ConnectedProvider;
  profile: ProviderProfile;
  /** When the client began the sign-in. */
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
  linked: CustomerWithPasswordHash | null;
  owner: CustomerWithPasswordHash | null;
}

/** The customer who signs in. */
interface FoundCustomer {
  customer: Customer;
  isNew: boolean;
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
   * Returns what a sign-in would result in. The customers may change until the sign-in.
   * @throws GatehouseError `sso_required`
   */
  async preview(
    tx: Tx,
    project: ProjectContext,
    provider: IdentityProvider,
    profile: ProviderProfile,
  ): Promise<IdentityDecision> {
    const local = await this.lock(tx, project, provider, profile);
    const email = (local.linked ?? local.owner ?? profile).email;
    if (email !== null)
      await this.required.assertAllowed(project, email, { providerId: provider.id, sql: tx });
    return this.decide(project, provider, profile, local);
  }

  /**
   * Signs in the customer to whom the person at the provider is linked. Links the person to the customer with the same
   * email, or creates a customer, as far as the provider is trusted.
   * @throws GatehouseError `method_not_enabled` for a provider that is disabled; `invalid_code` if the proof has been used;
   *   `account_exists`, `email_required`, `sign_up_not_allowed`, `sso_required`, and like `SignInService.complete`
   */
  async signIn(
    tx: Tx,
    project: ProjectContext,
    proof: ProvenIdentity,
    client: Client,
  ): Promise<SignInOutcome> {
    const { provider, authTime } = proof;
    if (!provider.enabled) throw new GatehouseError('method_not_enabled');
    // A concurrent sign-in of the same person may have created the customer.
    const found =
      (await this.resolve(tx, project, proof, client)) ?? (await this.resolve(tx, project, proof, client));
    if (!found || !(await proof.consume())) throw new GatehouseError('invalid_code');
    const { customer, isNew } = found;
    const scope = { providerId: provider.id, sql: tx };
    if (isNew) await this.required.assertAllowed(project, customer.email, scope);
    // The customer stays, and signs in after the verification.
    if (isNew && this.signIns.findRefusal(project, customer))
      return { tokens: null, customer: CustomerSummary.from(customer), challenge: null };
    return this.signIns.complete(tx, project, customer, { amr: ['fed'], provider, authTime }, client, {
      isNew,
    });
  }

  /**
   * Creates a customer whose address the provider has not verified, and sends the verification email.
   * @returns null if a customer has the address or the identity
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
    project: ProjectContext,
    provider: IdentityProvider,
    { subject, email }: ProviderProfile,
  ): Promise<LocalCustomers> {
    const linkedId = await this.identities.findCustomerId(provider.id, subject, tx);
    if (linkedId !== null)
      return { linked: await this.customers.lock(tx, project.id, linkedId), owner: null };
    const owner = email === null ? null : await this.customers.lockWithEmail(tx, project.id, email);
    // While this transaction waited for the lock, a first sign-in of the same person may have linked the owner.
    const isLinked = owner && (await this.identities.findCustomerId(provider.id, subject, tx)) === owner.id;
    return isLinked ? { linked: owner, owner: null } : { linked: null, owner };
  }

  private decide(
    { settings }: ProjectContext,
    provider: IdentityProvider,
    profile: ProviderProfile,
    local: LocalCustomers,
  ): IdentityDecision {
    const allowSignUp = settings.signIn.allowSignUp && provider.allowSignUp;
    return decideIdentity({ profile, ...local, allowSignUp });
  }

  /** Returns null if a concurrent sign-in has just created the customer or the identity. */
  private async resolve(
    tx: Tx,
    project: ProjectContext,
    proof: ProvenIdentity,
    client: Client,
  ): Promise<FoundCustomer | null> {
    const { provider, profile, requestedAt } = proof;
    const local = await this.lock(tx, project, provider, profile);
    const decision = this.decide(project, provider, profile, local);
    if ('refusal' in decision) {
      const { refusal } = decision;
      const known = local.linked ?? local.owner;
      if (known && (refusal === 'customer_disabled' || refusal === 'account_exists'))
        this.failures.reportRefusal(project, known, { reason: refusal, methods: ['fed'], client });
      throw new GatehouseError(refusal);
    }
    switch (decision.action) {
      case 'sign_in':
        return this.recordUse(tx, provider, local.linked!, profile);
      case 'link':
        return this.link(tx, project, local.owner!, proof);
      case 'claim_and_link': {
        const address = { email: local.owner!.email, via: 'provider', requestedAt } as const;
        const customer = await this.addresses.claimIfUnverified(tx, local.owner!, project, address);
        return this.link(tx, project, customer, proof);
      }
      case 'create_verified':
        return toNew(await this.create(tx, project, proof, client, true));
      case 'create_unverified':
        return toNew(await this.createUnverified(tx, project, proof, client));
    }
  }

  private async recordUse(
    tx: Tx,
    { id: providerId }: IdentityProvider,
    customer: Customer,
    { subject, email }: ProviderProfile,
  ): Promise<FoundCustomer | null> {
    const identity = { providerId, customerId: customer.id, subject, email };
    return (await this.identities.recordUse(tx, identity)) ? { customer, isNew: false } : null;
  }

  private async link(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    { provider, profile }: ProvenIdentity,
  ): Promise<FoundCustomer> {
    return { customer: await this.changes.link(tx, project, customer, provider, profile), isNew: false };
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
    return this.changes.link(tx, project, customer, provider, profile, { isNew: true });
  }
}

const toNew = (customer: Customer | null): FoundCustomer | null => customer && { customer, isNew: true };
