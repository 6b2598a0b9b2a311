import { Injectable } from '@nestjs/common';
import {
  changedFields,
  GatehouseError,
  notFound,
  type Customer,
  type IdentityProvider,
  type ProjectContext,
  type ProviderProfile,
} from '@gatehouse/domain';
import {
  AccountsRepository,
  CustomersRepository,
  EventsRepository,
  IdentitiesRepository,
  type Identity,
  type IdentityKey,
  type Tx,
} from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { customerEvent } from '../events/customer-events.js';
import { OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';
import { IdentityResponse } from '../identities/dto/identity.response.js';

/** The audit entry and the notice that each event of a change comes with. */
const recorded = {
  'identity.linked': { action: 'customer.identity_linked', notice: 'identity-linked' },
  'identity.unlinked': { action: 'customer.identity_unlinked', notice: 'identity-unlinked' },
} as const;

/** A person at a provider who is linked to a customer. */
export interface LinkedPerson {
  provider: Pick<IdentityProvider, 'id'>;
  profile: ProviderProfile;
}

/** Links and unlinks the accounts of customers at identity providers, with the events, audit entries and notices. */
@Injectable()
export class IdentityChangesService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly links: OneTimeLinksService,
  ) {}

  /**
   * Links a person at a provider to a customer whom the transaction has locked, and sets the name and the image that the
   * customer lacks.
   * @param options `isNew` if the customer has just been created, who needs no notice; `isPending` as in `IdentityEntity`
   * @returns the updated customer
   * @throws GatehouseError `identity_already_linked`
   */
  async link(
    tx: Tx,
    project: ProjectContext,
    before: Customer,
    { provider, profile }: LinkedPerson,
    { isNew = false, isPending = false } = {},
  ): Promise<Customer> {
    const { subject, email } = profile;
    const owner = { projectId: project.id, customerId: before.id };
    const id = newId();
    const insert = () =>
      this.accounts.link(tx, { id, ...owner, providerId: provider.id, subject, email, isPending });
    // Without a proven address, the identity stays where it is.
    const mayMove = before.emailVerified && project.settings.enumerationProtection;
    const isLinked =
      (await insert()) ||
      (mayMove &&
        (await this.unlinkPending(tx, project, { providerId: provider.id, subject })) &&
        (await insert()));
    if (!isLinked) throw new GatehouseError('identity_already_linked');
    const customer = await this.fillProfile(tx, project, before, profile, isNew);
    const identity = (await this.identities.listOfProvider(before.id, provider.id, tx)).find(
      (each) => each.id === id,
    )!;
    await this.record(tx, project, customer, 'identity.linked', identity, { isSilent: isNew });
    return customer;
  }

  /**
   * Unlinks an identity of a customer whom the transaction has locked.
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
    await this.record(tx, project, customer, 'identity.unlinked', identity, { details });
  }

  /**
   * Unlinks a person from the customer whom a sign-in that revealed nothing has created, and who has neither verified the
   * address nor signed in since (ADR 0098). The person has proven another address in the meantime.
   */
  private async unlinkPending(
    tx: Tx,
    project: ProjectContext,
    { providerId, subject }: IdentityKey,
  ): Promise<boolean> {
    const link = await this.identities.findLink(providerId, subject, tx);
    const customer = link?.isPending ? await this.customers.lock(tx, project.id, link.customerId) : null;
    if (!customer || customer.emailVerified || customer.disabledAt) return false;
    const identities = await this.identities.listOfProvider(customer.id, providerId, tx);
    const identity = identities.find((each) => each.subject === subject);
    if (!identity) return false;
    await this.identities.delete(tx, customer.id, identity.id);
    await this.record(tx, project, customer, 'identity.unlinked', identity, { isSilent: true });
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

  private async record(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    type: keyof typeof recorded,
    identity: Identity,
    { details = {}, isSilent = false }: { details?: Record<string, unknown>; isSilent?: boolean },
  ): Promise<void> {
    const { action, notice } = recorded[type];
    this.events.record(tx, [
      customerEvent(type, customer, project, { identity: IdentityResponse.from(identity) }),
    ]);
    const { id: identityId, provider } = identity;
    const audited = customerAction(action, customer, project, { identityId, provider, ...details });
    // Only customers link and move identities, also with the callback of a provider, which has no credential.
    const isOwn = type === 'identity.linked' || isSilent;
    this.audit.record(tx, isOwn ? { ...audited, customerId: customer.id } : audited);
    if (!isSilent) await this.links.notify(tx, notice, customer, project);
  }
}
