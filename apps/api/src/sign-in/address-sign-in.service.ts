import { Injectable } from '@nestjs/common';
import {
  addMethods,
  GatehouseError,
  wellKnownDeviceName,
  type ProjectContext,
  type ProviderProfile,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EmailCodesRepository,
  type StoredProvider,
  type Tx,
} from '@gatehouse/persistence';
import { sha256 } from '@gatehouse/platform';
import { AccountNeeded, AccountsService, type Admission } from '../accounts/accounts.service.js';
import type { Client } from '../http/request-context.js';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { CurrentProof } from './current-proof.js';
import { SignInService, type SignInOutcome } from './sign-in.service.js';

/** An account that has signed in at an identity provider. */
export interface ProviderAccount {
  provider: StoredProvider;
  profile: ProviderProfile;
}

/** Proof that the client owns an email address. */
interface ProvenAddress {
  email: string;
  /** Time at which the email with the code or the link was requested. */
  requestedAt: Date;
  /** Time at which the proof was given. Default: now. */
  authTime?: Date;
  /** Language of the customer who is created if no customer has the address. */
  locale: string | null | undefined;
  /** The provider account that the proof links to the customer. Default: none. */
  identity?: ProviderAccount | null;
  /**
   * Consumes the proof, after the customer and the attempts for the address have been locked.
   * @returns false if it has been used in the meantime
   */
  consume: () => Promise<boolean>;
}

/** Signs in the owners of email addresses, regardless of how the address was proven. */
@Injectable()
export class AddressSignInService {
  constructor(
    private readonly codes: EmailCodesRepository,
    private readonly customers: CustomersRepository,
    private readonly accounts: AccountsService,
    private readonly lifecycle: AccountLifecycleService,
    private readonly signIns: SignInService,
  ) {}

  /**
   * Signs in the customer who has the address. Creates a customer if none has it, and removes all access from before
   * the proof if the address was unverified. A completed sign-in clears the wrong codes for the address.
   * @returns `AccountNeeded` if no customer has the address and there is no admission
   * @throws GatehouseError `invalid_code` if the proof has been used or revoked, `identity_already_linked`, and the
   * same codes as `SignInService.complete`
   */
  async signIn(
    tx: Tx,
    project: ProjectContext,
    proof: ProvenAddress,
    client: Client,
    admission: Admission | null,
  ): Promise<SignInOutcome | AccountNeeded> {
    const { email, authTime, requestedAt, identity, locale } = proof;
    const found = await this.customers.lockWithEmail(tx, project.id, email);
    if (!found && !admission)
      return new AccountNeeded('email', {
        fields: { email, emailVerified: true, locale },
        provider: identity?.provider,
      });
    const device = wellKnownDeviceName(client.userAgent);
    const created = found ? null : await this.accounts.create(tx, admission!, { device });
    const owner = found ?? (created ? null : await this.customers.lockWithEmail(tx, project.id, email));
    await this.codes.lockAttempts(tx, project.id, sha256(email));
    const isUsable = await proof.consume();
    const amr = addMethods(identity ? ['fed'] : [], ['email']);
    // A newly created customer needs no notice about the link.
    const newIdentity = created ? null : identity?.profile;
    const given = { amr, authTime, provider: identity?.provider, newIdentity };
    const current = created
      ? CurrentProof.forNewCustomer(given)
      : owner && CurrentProof.verify(owner, requestedAt, given);
    if (!current || !isUsable) throw new GatehouseError('invalid_code');
    const isNew = created !== null;
    const customer =
      created ??
      (await this.lifecycle.claimIfUnverified(tx, project, owner!, { email, via: 'code', requestedAt }));
    const linked =
      isNew && identity ? await this.accounts.link(tx, project, customer, identity, { isNew }) : customer;
    return this.signIns.complete(tx, project, linked, current, client, { isNew });
  }
}
