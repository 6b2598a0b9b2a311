import { Injectable } from '@nestjs/common';
import {
  changedFields,
  GatehouseError,
  newCustomer,
  notFound,
  type Customer,
  type CustomerInput,
  type IdentityProvider,
  type ProjectContext,
  type ProviderProfile,
} from '@gatehouse/domain';
import {
  AccountsRepository,
  CustomersRepository,
  EventsRepository,
  IdentitiesRepository,
  Transactions,
  type CustomerWithPasswordHash,
  type Identity,
  type IdentityKey,
  type ImportedIdentity,
  type Tx,
} from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { ChangeRecordsService } from '../change-records/change-records.service.js';
import { customerEvent } from '../events/customer-events.js';
import { IdentityResponse } from '../identities/dto/identity.response.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { MailQuotaService, type MailRejection, type MailRequest } from '../mail/mail-quota.service.js';
import { OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';
import { effectsOf, type AccountSource, type AdmissionRule } from './account-sources.js';

/** An identity that is linked to a customer. */
export interface LinkedIdentity {
  provider: Pick<IdentityProvider, 'id'>;
  profile: ProviderProfile;
}

/** The account that a source requests. */
export interface AccountProfile {
  fields: CustomerInput;
  /** The provider with which the customer signs in. Default: none. */
  provider?: Pick<IdentityProvider, 'id' | 'allowSignUp'> | null | undefined;
  /** True if a secret key registers the customer. Default: false. */
  isBySecretKey?: boolean;
}

/** Data from the request that creates the account. */
export interface AccountProof {
  /** Default: no password. */
  passwordHash?: string | null;
  /** The customer's browser and operating system. Default: unknown. */
  device?: string | null;
  /** The identity to link. Default: none. */
  identity?: LinkedIdentity;
  /** Target of the Continue button on the page that the email's link opens. Default: none. */
  redirectUrl?: string | null;
}

/**
 * The decision that an account may be created. Only `admit` creates an admission: the class is exported as a
 * type, and its protected member prevents object literals from satisfying it.
 */
class Admission {
  protected readonly isAdmitted = true;
  /** The limit that prevents the email to the customer, or null. Set by `countMail`. */
  mailRejection: MailRejection | null = null;

  constructor(
    readonly project: ProjectContext,
    readonly source: Exclude<AccountSource, 'import'>,
    readonly profile: AccountProfile,
  ) {}
}
export type { Admission };

/** Returned by work in a transaction that requires an account. The work must not have changed anything. */
export class AccountNeeded {
  constructor(
    readonly source: Admission['source'],
    readonly profile: AccountProfile,
  ) {}
}

/**
 * Creates all accounts (docs/adr/0109-one-service-for-accounts.md). `account-sources.ts` lists each source's rules and
 * effects. Also links and unlinks identities.
 */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly customers: CustomersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly required: RequiredProvidersService,
    private readonly links: OneTimeLinksService,
    private readonly quota: MailQuotaService,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly records: ChangeRecordsService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Checks the rule that depends only on settings, for sources that must report its error first. `admit` checks
   * it as well.
   * @throws GatehouseError `sign_up_not_allowed`
   */
  assertSignUpAllowed({ settings }: ProjectContext, { provider, isBySecretKey }: AccountProfile): void {
    const isAllowed = settings.signIn.allowSignUp && (provider?.allowSignUp ?? true);
    if (!isAllowed && !isBySecretKey) throw new GatehouseError('sign_up_not_allowed');
  }

  /**
   * Decides whether an account may be created. Must be called outside a transaction, before a password is
   * hashed.
   * @throws GatehouseError `sign_up_not_allowed`, `sso_required`
   */
  async admit(
    project: ProjectContext,
    source: Admission['source'],
    profile: AccountProfile,
  ): Promise<Admission> {
    for (const rule of effectsOf(source).rules) await this.rules[rule](project, profile);
    return new Admission(project, source, profile);
  }

  /**
   * Counts the email to the new customer against the limits. Must be called outside a transaction, after all
   * other checks.
   * @throws GatehouseError `rate_limited` for an invitation; a verification email is dropped instead
   */
  async countMail(admission: Admission): Promise<Admission> {
    const mail = mailOf(admission);
    if (mail?.kind === 'accept-invite') await this.quota.assertAllowed(admission.project, mail);
    else if (mail) admission.mailRejection = await this.quota.consumeForRegistration(admission.project, mail);
    return admission;
  }

  /**
   * Runs `work` in a transaction. If it returns `AccountNeeded`, the transaction ends, the account is admitted,
   * and `work` runs again with the admission, because the customer may have been created in the meantime.
   * @throws GatehouseError the errors of `admit` and `work`
   */
  async run<Result>(
    project: ProjectContext,
    work: (tx: Tx, admission: Admission | null) => Promise<Result | AccountNeeded>,
  ): Promise<Result> {
    const first = await this.transactions.join((tx) => work(tx, null));
    if (!(first instanceof AccountNeeded)) return first;
    const admission = await this.countMail(await this.admit(project, first.source, first.profile));
    return (await this.transactions.join((tx) => work(tx, admission))) as Result;
  }

  /**
   * Creates the customer of an admitted account, with the event, audit entry and email that its source defines.
   * @returns null if the email or the external id is taken
   * @throws GatehouseError `identity_already_linked`
   */
  async create(tx: Tx, admission: Admission, proof: AccountProof): Promise<Customer | null> {
    const { project, source, profile } = admission;
    const { passwordHash = null, device = null, identity, redirectUrl = null } = proof;
    const inserted = await this.accounts.insert(tx, project.id, {
      // A customer of the previous system counts as imported.
      ...{ id: newId(), passwordHash, registrationDevice: device, imported: source === 'legacy' },
      ...newCustomer(profile.fields),
    });
    if (!inserted) return null;
    // The image is set before the event is recorded, because the event contains it.
    const customer = identity
      ? await this.fillProfile(tx, project, inserted, identity.profile, true)
      : inserted;
    this.recordCreated(tx, project, [customer]);
    if (identity) {
      const isPending = project.settings.enumerationProtection && !customer.emailVerified;
      await this.link(tx, project, customer, identity, { isNew: true, isPending });
    }
    await this.sendMail(tx, admission, customer, redirectUrl);
    const { audit, auditDetails } = effectsOf(source);
    if (audit === 'always' || (audit === 'by_secret_key' && profile.isBySecretKey))
      this.audit.record(tx, customerAction('customer.created', customer, project, auditDetails));
    return customer;
  }

  /**
   * Creates an import's customers with all their fields. Skips customers whose email or external id is taken.
   * @param emitEvents true to record `customer.created` events
   * @returns the ids of the created customers
   */
  async createAll(
    tx: Tx,
    project: ProjectContext,
    customers: CustomerWithPasswordHash[],
    emitEvents: boolean,
  ): Promise<Set<string>> {
    const ids = await this.accounts.insertAll(tx, project.id, customers);
    const created = customers.filter(({ id }) => ids.has(id));
    if (emitEvents || effectsOf('import').event === 'always') this.recordCreated(tx, project, created);
    return ids;
  }

  /**
   * Links an import's identities to customers whom the transaction has created or locked.
   * @returns false if one of the identities is already linked
   */
  linkAll(tx: Tx, project: ProjectContext, identities: ImportedIdentity[]): Promise<boolean> {
    return this.accounts.linkAll(tx, project.id, identities);
  }

  /**
   * Links an identity to a customer whom the transaction has locked, and fills in the name and the image if
   * they are missing.
   * @param options `isNew`: the customer was just created and receives no notice; `isPending`: see
   *   `IdentityEntity`
   * @returns the updated customer
   * @throws GatehouseError `identity_already_linked`
   */
  async link(
    tx: Tx,
    project: ProjectContext,
    before: Customer,
    { provider, profile }: LinkedIdentity,
    { isNew = false, isPending = false } = {},
  ): Promise<Customer> {
    const { subject, email } = profile;
    const owner = { projectId: project.id, customerId: before.id };
    const id = newId();
    const insert = () =>
      this.accounts.link(tx, { id, ...owner, providerId: provider.id, subject, email, isPending });
    // An identity moves only to a customer with a verified address.
    const mayMove = before.emailVerified && project.settings.enumerationProtection;
    const isLinked =
      (await insert()) ||
      (mayMove &&
        (await this.unlinkPending(tx, project, { providerId: provider.id, subject })) &&
        (await insert()));
    if (!isLinked) throw new GatehouseError('identity_already_linked');
    const customer = await this.fillProfile(tx, project, before, profile, isNew);
    const identity = (await this.identities.listByProvider(before.id, provider.id, tx)).find(
      (each) => each.id === id,
    )!;
    await this.recordIdentity(tx, project, customer, 'identity.linked', identity, { isSilent: isNew });
    return customer;
  }

  /**
   * Unlinks an identity from a customer whom the transaction has locked.
   * @param details for the audit log
   * @throws GatehouseError `not_found`
   */
  async unlink(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    id: string,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    const identity = await this.identities.delete(tx, customer.id, id);
    if (!identity) throw notFound();
    await this.recordIdentity(tx, project, customer, 'identity.unlinked', identity, { details });
  }

  private recordCreated(tx: Tx, project: ProjectContext, customers: Customer[]): void {
    const events = customers.map((customer) => customerEvent('customer.created', customer, project));
    this.events.record(tx, events);
  }

  private async sendMail(
    tx: Tx,
    admission: Admission,
    customer: Customer,
    redirectUrl: string | null,
  ): Promise<void> {
    const { project, mailRejection } = admission;
    const mail = mailOf(admission);
    if (!mail) return;
    if (mailRejection) await this.quota.recordDropped(project, customer.id, mail, mailRejection, tx);
    else if (mail.kind === 'verify-email')
      this.events.record(tx, [await this.links.sendVerification(tx, customer, project, redirectUrl)]);
    else await this.links.send(tx, { kind: mail.kind, customer, project, redirectUrl });
  }

  /**
   * Unlinks a pending identity, which can then move to a customer with a verified address. A sign-in under
   * enumeration protection created the previous customer, who has neither verified the address nor signed in
   * since (ADR 0098).
   */
  private async unlinkPending(
    tx: Tx,
    project: ProjectContext,
    { providerId, subject }: IdentityKey,
  ): Promise<boolean> {
    const link = await this.identities.findLink(providerId, subject, tx);
    const customer = link?.isPending ? await this.customers.lock(tx, project.id, link.customerId) : null;
    if (!customer || customer.emailVerified || customer.disabledAt) return false;
    const identities = await this.identities.listByProvider(customer.id, providerId, tx);
    const identity = identities.find((each) => each.subject === subject);
    if (!identity) return false;
    await this.identities.delete(tx, customer.id, identity.id);
    await this.recordIdentity(tx, project, customer, 'identity.unlinked', identity, { isSilent: true });
    return true;
  }

  private async fillProfile(
    tx: Tx,
    project: ProjectContext,
    before: Customer,
    profile: ProviderProfile,
    isNew: boolean,
  ): Promise<Customer> {
    const customer = await this.customers.fillProfile(tx, project.id, before.id, profile);
    if (!customer) return before;
    const { firstName, lastName, imageUrl } = customer;
    const previous = changedFields(
      { firstName: before.firstName, lastName: before.lastName, imageUrl: before.imageUrl },
      { firstName, lastName, imageUrl },
    );
    if (!isNew) this.events.record(tx, [customerEvent('customer.updated', customer, project, { previous })]);
    return customer;
  }

  private async recordIdentity(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    type: 'identity.linked' | 'identity.unlinked',
    identity: Identity,
    { details = {}, isSilent = false }: { details?: Record<string, unknown>; isSilent?: boolean },
  ): Promise<void> {
    const { id: identityId, provider } = identity;
    await this.records.record(tx, type, customer, project, {
      data: { identity: IdentityResponse.from(identity) },
      details: { identityId, provider, ...details },
      // Only customers link and move identities. A callback from a provider has no credential that identifies
      // them.
      isByCustomer: type === 'identity.linked' || isSilent,
      isSilent,
    });
  }

  private readonly rules: Record<
    AdmissionRule,
    (project: ProjectContext, profile: AccountProfile) => Promise<void> | void
  > = {
    sign_up: (project, profile) => this.assertSignUpAllowed(project, profile),
    required_provider: (project, { fields, provider }) =>
      this.required.assertAllowed(project, fields.email, { providerId: provider?.id }),
  };
}

/** Returns the email that the account's customer receives, or null. */
function mailOf({
  source,
  profile: { fields },
}: Admission): (MailRequest & { kind: 'accept-invite' | 'verify-email' }) | null {
  const { mail: kind } = effectsOf(source);
  if (kind === null || (kind === 'verify-email' && fields.emailVerified)) return null;
  const isInvitation = kind === 'accept-invite';
  return { kind, recipient: fields.email, isTrusted: isInvitation, isAuthenticated: isInvitation };
}
