import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import {
  GatehouseError,
  invalidField,
  isMfaEnabled,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  SessionProofsRepository,
  type CustomerForUpdate,
  type DomainOwner,
  type SessionFreshness,
  type Tx,
} from '@gatehouse/persistence';
import { RequiredProvidersService, ssoRequiredError } from '../identities/required-providers.service.js';
import { PasskeyCeremoniesService } from '../passkeys/passkey-ceremonies.service.js';

/** A session's proofs, and the provider with which the customer must sign in, or null. */
type Proofs = SessionFreshness & { requiredProvider: DomainOwner | null };

/** Returns the error for a request whose session has ended since it was authenticated. */
export const sessionEndedError = (): GatehouseError =>
  new GatehouseError('invalid_access_token', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    detail: "The access token's session has ended. Sign in again.",
  });

/** Protects account changes from a client that has only a session (requirement MF-05). */
@Injectable()
export class FreshProofService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly proofs: SessionProofsRepository,
    private readonly passkeys: PasskeyCeremoniesService,
    private readonly required: RequiredProvidersService,
  ) {}

  /**
   * Requires a proof of identity in this session within the last ten minutes; if the customer has a second factor,
   * also a proof with this factor.
   * @param options `withPassword` if the request contains the password, which the caller verifies afterwards
   * @throws GatehouseError `reauthentication_required` with the methods that the customer can use;
   *   `invalid_access_token` if the session has ended in the meantime
   */
  async assertFresh(
    caller: CustomerCaller,
    project: ProjectContext,
    { withPassword = false } = {},
  ): Promise<void> {
    this.assert(caller, project, await this.getFreshness(caller, project), withPassword);
  }

  /**
   * Requires the same proof, and the password in the request if the customer has a password.
   * @param field the request field for the password, with its value
   * @throws GatehouseError `validation_failed` without the password, and the errors of `assertFresh`
   */
  async assertFreshWithPassword(
    caller: CustomerCaller,
    project: ProjectContext,
    field: { name: string; value: string | undefined },
  ): Promise<void> {
    const session = await this.getFreshness(caller, project);
    if (field.value === undefined && session.hasPassword)
      throw invalidField(field.name, 'required', `${field.name} is required`);
    this.assert(caller, project, session, field.value !== undefined);
  }

  /**
   * Locks a signed-in customer's row for a change. The address's owner may have ended the session while the
   * request waited for the lock.
   * @throws GatehouseError `invalid_access_token` if the session has ended in the meantime
   */
  async lock(tx: Tx, { customer: { projectId, id }, sessionId }: CustomerCaller): Promise<CustomerForUpdate> {
    const customer = await this.customers.lock(tx, projectId, id);
    if (!customer || !(await this.proofs.isActive(tx, id, sessionId))) throw sessionEndedError();
    return customer;
  }

  /**
   * Checks that the proof of identity with which the session began a change is still valid. The transaction has locked
   * the customer.
   * @throws GatehouseError `reauthentication_required` if support has required a new proof since then
   */
  async assertStillProven(
    tx: Tx,
    caller: CustomerCaller,
    project: ProjectContext,
    { proofRequiredAt }: CustomerForUpdate,
    begunAt: Date,
  ): Promise<void> {
    if (proofRequiredAt === null || begunAt > proofRequiredAt) return;
    const session = await this.getFreshness(caller, project, tx);
    const isFactorMissing = session.hasFactor && !session.isFactorFresh;
    throw this.missingProofError(caller.customer, project, session, isFactorMissing);
  }

  /**
   * Checks that a customer can prove their identity with a first factor alone. Without this check, a stolen
   * password could renew the proof time in access tokens whose `amr` contains `mfa`.
   * @throws GatehouseError `sso_required` for the password or a code if a provider is required;
   *   `method_not_enabled` if the customer cannot use email codes; `reauthentication_required` for a customer
   *   with a second factor; `invalid_access_token` if the session has ended in the meantime
   */
  async assertSufficient(
    caller: CustomerCaller,
    project: ProjectContext,
    method: 'password' | 'email_code' | 'provider',
  ): Promise<void> {
    const session = await this.getFreshness(caller, project);
    const { requiredProvider } = session;
    if (requiredProvider && method !== 'provider') throw ssoRequiredError(requiredProvider.slug);
    if (method === 'email_code' && !this.isEmailCodeUsable(caller.customer, project, session))
      throw new GatehouseError('method_not_enabled');
    if (session.hasFactor) throw this.missingProofError(caller.customer, project, session, true);
  }

  /**
   * Returns true if a customer can prove their identity with a code in an email. A customer without password
   * and passkey always can. The address must be verified, because an unverified address may belong to another
   * person.
   */
  private isEmailCodeUsable(
    customer: Customer,
    project: ProjectContext,
    { hasPassword, hasPasskey, requiredProvider }: Proofs,
  ): boolean {
    if (requiredProvider) return false;
    const hasOtherMethod = hasPassword || (hasPasskey && this.passkeys.isUsable(project, customer));
    return customer.emailVerified && (project.settings.signIn.emailCode || !hasOtherMethod);
  }

  /** Returns a session's proofs. Ignores a password and second factors that the customer cannot use. */
  private async getFreshness(
    { customer, sessionId }: CustomerCaller,
    project: ProjectContext,
    tx?: Tx,
  ): Promise<Proofs> {
    const [session, requiredProvider] = await Promise.all([
      this.proofs.getFreshness(customer.id, sessionId, tx),
      this.required.find(project, customer.email, tx),
    ]);
    if (!session) throw sessionEndedError();
    return {
      ...session,
      requiredProvider,
      hasPassword: session.hasPassword && project.settings.signIn.password && !requiredProvider,
      hasFactor: session.hasFactor && isMfaEnabled(project, customer),
    };
  }

  private assert(
    { customer }: CustomerCaller,
    project: ProjectContext,
    session: Proofs,
    withPassword: boolean,
  ): void {
    const isFactorMissing = session.hasFactor && !session.isFactorFresh;
    if ((withPassword || session.isFresh) && !isFactorMissing) return;
    throw this.missingProofError(customer, project, session, isFactorMissing);
  }

  /** Returns the error with the methods that the customer can use to prove their identity. */
  private missingProofError(
    customer: Customer,
    project: ProjectContext,
    session: Proofs,
    isFactorMissing: boolean,
  ): GatehouseError {
    const methods = [
      // The password or the code alone would not be sufficient.
      ...(session.hasPassword && !isFactorMissing ? ['password'] : []),
      ...(!isFactorMissing && this.isEmailCodeUsable(customer, project, session) ? ['email_code'] : []),
      ...(session.hasFactor && session.hasTotp ? ['totp'] : []),
      ...(session.hasPasskey && this.passkeys.isUsable(project, customer) ? ['passkey'] : []),
      ...(session.hasFactor && session.hasRecoveryCodes ? ['recovery_code'] : []),
    ];
    return new GatehouseError('reauthentication_required', {
      detail:
        'This change requires a proof of identity within the last ten minutes. Send one of the listed methods to POST /api/v1/me/reauthenticate, then repeat the request.',
      members: { methods },
    });
  }
}
