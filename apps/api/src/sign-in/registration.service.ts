import { Injectable } from '@nestjs/common';
import {
  assertMethodEnabled,
  GatehouseError,
  pickDefined,
  profileFields,
  wellKnownDeviceName,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import type { KeyCaller } from '@gatehouse/auth';
import { CustomersRepository, Transactions } from '@gatehouse/persistence';
import { KeyedLock, PasswordHasher, type HashPermit } from '@gatehouse/platform';
import { AccountsService, type AccountProfile } from '../accounts/accounts.service.js';
import type { Client } from '../http/request-context.js';
import { MailQuotaService, type MailRequest } from '../mail/mail-quota.service.js';
import { CurrentProof } from './current-proof.js';
import type { RegisterRequest } from './dto/auth.request.js';
import type { AuthResponse } from './dto/auth.response.js';
import { assertRedirectUrl, OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';
import { respondUniformly } from '../http/timing/respond-uniformly.js';
import { SignInService } from './sign-in.service.js';

/** The caller that registers a customer: a key, or the hosted page on behalf of the customer. */
type Registrant = Pick<KeyCaller, 'kind' | 'project'>;

/** Registers customers. */
@Injectable()
export class RegistrationService {
  /** Serializes concurrent registrations of one address, so that only one of them computes a hash. */
  private readonly emailLock = new KeyedLock();

  constructor(
    private readonly customers: CustomersRepository,
    private readonly accounts: AccountsService,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    private readonly signIn: SignInService,
    private readonly policy: PasswordPolicyService,
    private readonly quota: MailQuotaService,
    private readonly links: OneTimeLinksService,
  ) {}

  /**
   * Creates a customer in the caller's project. Returns null if the project does not reveal whether the address is
   * taken (`enumerationProtection`).
   * @throws GatehouseError `method_not_enabled`, `sign_up_not_allowed`, `weak_password`, `email_already_registered`,
   * `sso_required`, `overloaded`
   */
  async register(caller: Registrant, input: RegisterRequest, client: Client): Promise<AuthResponse | null> {
    const { project } = caller;
    assertMethodEnabled(project, 'password');
    this.accounts.assertSignUpAllowed(project, toProfile(caller, input));
    assertRedirectUrl(project, input.redirectUrl);
    await this.policy.assertStrong(project, input.email, input.password);
    const work = this.emailLock.run(`${project.id} ${input.email}`, () => this.create(caller, input, client));
    if (!project.settings.enumerationProtection) return work;
    await respondUniformly(work);
    return null;
  }

  private async create(
    caller: Registrant,
    input: RegisterRequest,
    client: Client,
  ): Promise<AuthResponse | null> {
    // Reserved before the first query, so that an overloaded server rejects the request without executing one.
    const permit = this.hasher.reserve(caller.project.id);
    try {
      return await this.createWithPermit(permit, caller, input, client);
    } finally {
      permit.release();
    }
  }

  private async createWithPermit(
    permit: HashPermit,
    caller: Registrant,
    input: RegisterRequest,
    client: Client,
  ): Promise<AuthResponse | null> {
    const { project } = caller;
    const admission = await this.accounts.admit(project, 'registration', toProfile(caller, input));
    const isProtected = project.settings.enumerationProtection;
    const existing = await this.customers.findByEmail(project.id, input.email);
    if (existing && !isProtected) throw alreadyRegisteredError(caller, existing);
    const passwordHash = await this.hasher.hashFor(project, input.password, {
      signal: client.signal,
      permit,
    });
    if (existing) return this.notifyOwner(project, existing);
    await this.accounts.countMail(admission);
    const { redirectUrl } = input;
    const device = wellKnownDeviceName(client.userAgent);
    const registered = await this.transactions.join(async (tx) => {
      const customer = await this.accounts.create(tx, admission, { passwordHash, device, redirectUrl });
      if (!customer) return null;
      const proof = CurrentProof.forNewCustomer({ amr: ['pwd'] });
      return this.signIn.complete(tx, project, customer, proof, client, { isNew: true });
    });
    if (registered || isProtected) return registered;
    throw alreadyRegisteredError(caller, await this.customers.findByEmail(project.id, input.email));
  }

  /** Notifies the owner of the address by email, because the response does not reveal that the address is taken. */
  private async notifyOwner(project: ProjectContext, { id, email }: Customer): Promise<null> {
    const notice: MailRequest = { kind: 'already-registered', recipient: email, isTrusted: false };
    const rejection = await this.quota.consumeForUnauthenticated(project, notice);
    if (rejection) await this.quota.recordDropped(project, id, notice, rejection);
    else await this.transactions.join((tx) => this.links.notifyOwner(tx, email, project));
    return null;
  }
}

const toProfile = ({ kind }: Registrant, input: RegisterRequest): AccountProfile => ({
  fields: { email: input.email, ...pickDefined(input, profileFields) },
  isBySecretKey: kind === 'secret-key',
});

/** Returns the error for a taken address. Only secret keys receive the customer's id. */
function alreadyRegisteredError(caller: Registrant, customer: Customer | null): GatehouseError {
  const members = caller.kind === 'secret-key' && customer ? { customerId: customer.id } : {};
  return new GatehouseError('email_already_registered', { members });
}
