import { Injectable } from '@nestjs/common';
import { GatehouseError, newCustomer, wellKnownDeviceName, type ProjectContext } from '@gatehouse/domain';
import {
  CustomersRepository,
  EmailCodesRepository,
  EventsRepository,
  type CustomerWithPasswordHash,
  type Tx,
} from '@gatehouse/persistence';
import { newId, sha256 } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import type { Client } from '../http/request-context.js';
import { VerifiedAddressService } from '../one-time-tokens/verified-address.service.js';
import type { AuthResponse } from './dto/auth.response.js';
import { SignInService } from './sign-in.service.js';

/** A proof that the person who signs in owns an email address. */
interface ProvenAddress {
  email: string;
  /** When the email with the code or the link was requested. */
  requestedAt: Date;
  /** When the proof was given. Default: now. */
  authTime?: Date;
  /** Language of the customer who is created if none has the address. */
  locale: string | null | undefined;
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
    private readonly signIns: SignInService,
    private readonly events: EventsRepository,
  ) {}

  /**
   * Signs in the customer who has the address. Creates a customer if none has it, and removes all access from before
   * the proof if the address was not verified. A completed sign-in clears the wrong codes of the address.
   * @throws GatehouseError `invalid_code` if the proof has been used, `sign_up_not_allowed`, and like `SignInService.complete`
   */
  async signIn(tx: Tx, project: ProjectContext, proof: ProvenAddress, client: Client): Promise<AuthResponse> {
    const { email, authTime } = proof;
    const newCustomerId = newId();
    const owner =
      (await this.customers.lockWithEmail(tx, project.id, email)) ??
      (await this.create(tx, project, newCustomerId, proof, client)) ??
      (await this.customers.lockWithEmail(tx, project.id, email));
    await this.codes.lockAttempts(tx, project.id, sha256(email));
    const isUsable = await proof.consume();
    if (!owner || !isUsable) throw new GatehouseError('invalid_code');
    const isNew = owner.id === newCustomerId;
    if (isNew) this.events.record(tx, [customerEvent('customer.created', owner, project)]);
    const { requestedAt } = proof;
    const customer = await this.addresses.claimIfUnverified(tx, owner, project, {
      ...{ email, via: 'code', requestedAt },
    });
    return this.signIns.complete(tx, project, customer, { amr: ['email'], authTime }, client, { isNew });
  }

  /**
   * Creates the customer of an address. Returns null if another request has just created one.
   * @throws GatehouseError `sign_up_not_allowed`
   */
  private async create(
    tx: Tx,
    project: ProjectContext,
    id: string,
    { email, locale }: ProvenAddress,
    client: Client,
  ): Promise<CustomerWithPasswordHash | null> {
    if (!project.settings.signIn.allowSignUp) throw new GatehouseError('sign_up_not_allowed');
    const customer = await this.customers.insert(tx, project.id, {
      id,
      ...newCustomer({ email, emailVerified: true, locale }),
      passwordHash: null,
      registrationDevice: wellKnownDeviceName(client.userAgent),
    });
    return customer && { ...customer, passwordHash: null };
  }
}
