import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import {
  assertMfaEnabled,
  GatehouseError,
  isRevoked,
  notFound,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  FactorsRepository,
  ProjectsRepository,
  SessionProofsRepository,
  type CustomerFactors,
} from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import type { TotpSecretResponse } from '../factors/dto/factors.response.js';
import { describeSecret, FactorChangesService } from '../factors/factor-changes.service.js';
import { FactorCheckService } from '../factors/factor-check.service.js';
import { FactorCodesService } from '../factors/factor-codes.service.js';
import { FreshProofService } from '../factors/fresh-proof.service.js';
import type { Client } from '../http/request-context.js';
import { PasswordCheckService, type ConfirmedChange } from '../passwords/password-check.service.js';

/** Maximum time to confirm a new authenticator, in seconds. */
const CONFIRMATION_TTL = 10 * 60;

/** Manages signed-in customers' second factors. Every change requires a recent proof of identity. */
@Injectable()
export class MeFactorsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly factors: FactorsRepository,
    private readonly proofs: SessionProofsRepository,
    private readonly changes: FactorChangesService,
    private readonly check: FactorCheckService,
    private readonly codes: FactorCodesService,
    private readonly fresh: FreshProofService,
    private readonly passwords: PasswordCheckService,
  ) {}

  list({ customer }: CustomerCaller): Promise<CustomerFactors> {
    return this.factors.list(customer.id);
  }

  /**
   * Returns the secret of a new authenticator. The authenticator has no effect until one of its codes is confirmed.
   * @throws GatehouseError `method_not_enabled`, `reauthentication_required`, the errors for a wrong password, `conflict`
   */
  async beginTotp(
    caller: CustomerCaller,
    password: string | undefined,
    client: Client,
  ): Promise<TotpSecretResponse & { id: string }> {
    const { project, confirmed } = await this.assertFresh(caller, password, client);
    const { sessionId } = caller;
    const secret = this.changes.newSecret(project, caller.customer);
    const id = newId();
    await this.changes.runLocked(caller, async (tx, customer) => {
      this.passwords.assertUnchanged(customer, confirmed);
      await this.changes.assertMayAdd(tx, customer.id);
      await this.factors.insertPending(tx, { id, customerId: customer.id, sessionId, secret: secret.sealed });
    });
    return { id, ...describeSecret(secret) };
  }

  /**
   * Confirms a new authenticator with one of its codes, which also counts as a second-factor proof of this
   * session. No other proof is required, because the session needed a recent one to receive the secret.
   * @returns the recovery codes if this is the first factor, otherwise null
   * @throws GatehouseError `not_found`, `invalid_code`, `too_many_attempts`, `reauthentication_required`,
   *   `conflict`
   */
  async confirmTotp(
    caller: CustomerCaller,
    id: string,
    code: string,
    client: Client,
  ): Promise<string[] | null> {
    const { id: customerId, projectId } = caller.customer;
    const { sessionId } = caller;
    const pending = await this.factors.findPending({ customerId, sessionId }, id, CONFIRMATION_TTL);
    if (!pending) throw notFound();
    const project = await this.projects.getContext(projectId);
    await this.check.countAttempt(project, customerId, client);
    const step = this.codes.matchStep(customerId, pending.secret, code);
    if (step === null) throw this.check.fail(project, caller.customer, client);
    return this.changes.runLocked(caller, async (tx, customer) => {
      if (isRevoked(customer, pending.requestedAt)) throw notFound();
      await this.fresh.assertStillProven(tx, caller, project, customer, pending.requestedAt);
      await this.check.releaseAttempt(customerId, tx);
      const recoveryCodes = await this.changes.confirm(tx, project, customer, id, step);
      await this.proofs.recordProof(tx, customerId, sessionId, ['otp']);
      return recoveryCodes;
    });
  }

  /**
   * Removes an authenticator or a passkey.
   * @throws GatehouseError `reauthentication_required`, `not_found`, `conflict` if it is the last one and a second
   *   factor is required, `last_sign_in_method`
   */
  async remove(caller: CustomerCaller, id: string): Promise<void> {
    const project = await this.projects.getContext(caller.customer.projectId);
    await this.fresh.assertFresh(caller, project);
    await this.changes.runLocked(caller, async (tx, customer) => {
      const remaining = await this.changes.remove(tx, project, customer, id);
      await this.changes.assertMaySignIn(tx, project, customer, remaining);
    });
  }

  /**
   * Replaces the recovery codes.
   * @throws GatehouseError `method_not_enabled`, `reauthentication_required`, the errors for a wrong password,
   *   `conflict` for a customer without a factor
   */
  async renewRecoveryCodes(
    caller: CustomerCaller,
    password: string | undefined,
    client: Client,
  ): Promise<string[]> {
    const { project, confirmed } = await this.assertFresh(caller, password, client);
    return this.changes.runLocked(caller, async (tx, customer) => {
      this.passwords.assertUnchanged(customer, confirmed);
      if (await this.factors.exists(tx, customer.id))
        return this.changes.renewRecoveryCodes(tx, project, customer);
      throw new GatehouseError('conflict', {
        detail: 'The customer has no second factor. Recovery codes are created with the first one.',
      });
    });
  }

  /**
   * Checks that the caller may add factors and has recently proven their identity. Returns the project and the
   * confirmation.
   */
  private async assertFresh(
    caller: CustomerCaller,
    password: string | undefined,
    client: Client,
  ): Promise<{ project: ProjectContext; confirmed: ConfirmedChange }> {
    const project = await this.projects.getContext(caller.customer.projectId);
    assertMfaEnabled(project, caller.customer);
    const confirmed = await this.passwords.confirmFactorChange(project, caller, password, client);
    return { project, confirmed };
  }
}
