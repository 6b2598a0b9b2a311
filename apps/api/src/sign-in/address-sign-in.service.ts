import { Injectable } from '@nestjs/common';
import {
  addMethods,
  GatehouseError,
  newCustomer,
  wellKnownDeviceName,
  type ProjectContext,
  type ProviderProfile,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EmailCodesRepository,
  EventsRepository,
  type ConnectedProvider,
  type CustomerForUpdate,
  type Tx,
} from '@gatehouse/persistence';
import { newId, sha256 } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import type { Client } from '../http/request-context.js';
import { IdentityChangesService } from '../accounts/identity-changes.service.js';
import { VerifiedAddressService } from '../accounts/verified-address.service.js';
import { CurrentProof } from './current-proof.js';
import { SignInService, type SignInOutcome } from './sign-in.service.js';

/** A person who has signed in at a provider. */
export interface ProvenPerson {
  provider: ConnectedProvider;
  profile: ProviderProfile;
}

/** A proof that the person who signs in owns an email address. */
interface ProvenAddress {
  email: string;
  /** When the email with the code or the link was requested. */
  requestedAt: Date;
  /** When the proof was given. Default: now. */
  authTime?: Date;
  /** Language of the customer who is created if none has the address. */
  locale: string | null | undefined;
  /** The person at a provider who has proven the address, and is linked to its customer. Default: none. */
  identity?: ProvenPerson | null;
  /**
   * Consumes the proof, once the customer and the attempts of the address are locked.
   * @returns false if it has been used in the meantime
   */
  consume: () => Promise<boolean>;
}

/** Signs in the owners of email addresses, whatever has proven the address. */
@Injectable()
export class AddressSignInService {
  constructor(
    private readonly codes: EmailCodesRepository,
    private readonly customers: CustomersRepository,
    private readonly addresses: VerifiedAddressService,
    private readonly identityChanges: IdentityChangesService,
    private readonly signIns: SignInService,
    private readonly events: EventsRepository,
  ) {}

  /**
   * Signs in the customer who has the address. Creates a customer if none has it, and removes all access from before
   * the proof if the address was not verified. A completed sign-in clears the wrong codes of the address.
   * @throws GatehouseError `invalid_code` if the proof has been used or revoked, `sign_up_not_allowed`,
   *   `identity_already_linked`, and like `SignInService.complete`
   */
  async signIn(
    tx: Tx,
    project: ProjectContext,
    proof: ProvenAddress,
    client: Client,
  ): Promise<SignInOutcome> {
    const { email, authTime, requestedAt, identity } = proof;
    const newCustomerId = newId();
    const owner =
      (await this.customers.lockWithEmail(tx, project.id, email)) ??
      (await this.create(tx, project, newCustomerId, proof, client)) ??
      (await this.customers.lockWithEmail(tx, project.id, email));
    await this.codes.lockAttempts(tx, project.id, sha256(email));
    const isUsable = await proof.consume();
    const amr = addMethods(identity ? ['fed'] : [], ['email']);
    const isNew = owner?.id === newCustomerId;
    // A customer who has just been created needs no notice of the link.
    const newIdentity = isNew ? null : identity?.profile;
    const given = { amr, authTime, provider: identity?.provider, newIdentity };
    const current = owner && CurrentProof.of(owner, requestedAt, given);
    if (!current || !isUsable) throw new GatehouseError('invalid_code');
    if (isNew) this.events.record(tx, [customerEvent('customer.created', owner, project)]);
    const claimed = await this.addresses.claimIfUnverified(tx, owner, project, {
      ...{ email, via: 'code', requestedAt },
    });
    const customer =
      isNew && identity
        ? await this.identityChanges.link(tx, project, claimed, identity.provider, identity.profile, {
            isNew,
          })
        : claimed;
    return this.signIns.complete(tx, project, customer, current, client, { isNew });
  }

  /**
   * Creates the customer of an address. Returns null if another request has just created one.
   * @throws GatehouseError `sign_up_not_allowed`
   */
  private async create(
    tx: Tx,
    project: ProjectContext,
    id: string,
    { email, locale, identity }: ProvenAddress,
    client: Client,
  ): Promise<CustomerForUpdate | null> {
    const allowsSignUp = project.settings.signIn.allowSignUp && (identity?.provider.allowSignUp ?? true);
    if (!allowsSignUp) throw new GatehouseError('sign_up_not_allowed');
    const customer = await this.customers.insert(tx, project.id, {
      id,
      ...newCustomer({ email, emailVerified: true, locale }),
      passwordHash: null,
      registrationDevice: wellKnownDeviceName(client.userAgent),
    });
    const unused = { accessRevokedAt: null, proofRequiredAt: null, claimedAt: null, imported: false };
    return customer && { ...customer, ...unused, passwordHash: null };
  }
}
