import { Injectable } from '@nestjs/common';
import encodeQR from 'qr';
import type { CustomerCaller } from '@gatehouse/auth';
import {
  effectiveMfa,
  GatehouseError,
  isMfaEnabled,
  isRevoked,
  MAX_PASSKEYS,
  MAX_TOTP_FACTORS,
  notFound,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  FactorsRepository,
  PasskeysRepository,
  Transactions,
  type CustomerFactors,
  type CustomerWithPasswordHash,
  type CustomerForUpdate,
  type Passkey,
  type TotpFactor,
  type Tx,
} from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import { ChangeRecordsService } from '../change-records/change-records.service.js';
import { SignInMethodsService } from '../identities/sign-in-methods.service.js';
import { PasskeyResponse } from '../passkeys/dto/passkey.response.js';
import {
  PasskeyCeremoniesService,
  passkeyNotAcceptedError,
  type RegisteredPasskey,
} from '../passkeys/passkey-ceremonies.service.js';
import { FactorResponse, type TotpSecretResponse } from './dto/factors.response.js';
import { FreshProofService } from './fresh-proof.service.js';
import { FactorCodesService, type NewTotpSecret } from './factor-codes.service.js';

/** An added passkey, with any new recovery codes. */
export interface AddedPasskey {
  passkey: Passkey;
  recoveryCodes: string[] | null;
}

/** Adds and removes second factors, and records each change's events, audit entries and notices. */
@Injectable()
export class FactorChangesService {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly passkeys: PasskeysRepository,
    private readonly methods: SignInMethodsService,
    private readonly fresh: FreshProofService,
    private readonly ceremonies: PasskeyCeremoniesService,
    private readonly transactions: Transactions,
    private readonly records: ChangeRecordsService,
    private readonly codes: FactorCodesService,
  ) {}

  /** Returns a new secret for a customer's authenticator. */
  newSecret({ settings, name }: ProjectContext, { id, email }: Customer): NewTotpSecret {
    return this.codes.newSecret(id, settings.branding.displayName ?? name, email);
  }

  /** @throws GatehouseError `conflict` if the customer has the maximum number of authenticators */
  async assertMayAdd(tx: Tx, customerId: string): Promise<void> {
    const { totp } = await this.factors.list(customerId, tx);
    if (totp.length < MAX_TOTP_FACTORS) return;
    throw new GatehouseError('conflict', {
      detail: `A customer can have at most ${MAX_TOTP_FACTORS} authenticators. Remove one first.`,
    });
  }

  /** Inserts an authenticator whose code was verified in a challenge. @returns the new recovery codes, or null */
  async addConfirmed(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    sealedSecret: Buffer,
    step: number,
  ): Promise<string[] | null> {
    const secret = this.codes.reencrypt(customer.id, sealedSecret);
    const factor = { id: newId(), customerId: customer.id, secret, step };
    return this.recordAdded(tx, project, customer, await this.factors.insert(tx, factor));
  }

  /**
   * Confirms an authenticator whose code was verified.
   * @returns the new recovery codes, or null
   * @throws GatehouseError `not_found` if it was replaced or confirmed in the meantime, `conflict`
   */
  async confirm(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    id: string,
    step: number,
  ): Promise<string[] | null> {
    await this.assertMayAdd(tx, customer.id);
    const confirmed = await this.factors.confirm(tx, id, step);
    if (!confirmed) throw notFound();
    return this.recordAdded(tx, project, customer, confirmed);
  }

  /**
   * Adds a passkey whose registration was verified, to a customer whom the transaction has locked.
   * @throws GatehouseError `too_many_passkeys`, `conflict` if the project has this passkey already,
   *   `passkey_not_accepted` if the `rpId` has changed, or access was revoked, in the meantime
   */
  async addPasskey(
    tx: Tx,
    project: ProjectContext,
    customer: CustomerForUpdate,
    { passkey: added, requestedAt }: RegisteredPasskey,
    name: string,
  ): Promise<AddedPasskey> {
    if (isRevoked(customer, requestedAt)) throw passkeyNotAcceptedError();
    await this.assertMayAddPasskey(customer.id, tx);
    await this.ceremonies.assertSameSite(tx, project);
    const owner = { id: newId(), projectId: project.id, customerId: customer.id };
    const passkey = await this.passkeys.insert(tx, { ...added, ...owner, name });
    if (!passkey) throw new GatehouseError('conflict', { detail: 'The passkey has already been added.' });
    const data = { passkey: PasskeyResponse.from(passkey) };
    const details = { passkeyId: passkey.id };
    await this.records.record(tx, 'passkey.added', customer, project, { data, details });
    return { passkey, recoveryCodes: await this.issueMissingCodes(tx, project, customer) };
  }

  /** @throws GatehouseError `too_many_passkeys` */
  async assertMayAddPasskey(customerId: string, tx?: Tx): Promise<void> {
    const existing = await this.passkeys.list(customerId, tx);
    if (existing.length >= MAX_PASSKEYS) throw new GatehouseError('too_many_passkeys');
  }

  /** Replaces a customer's recovery codes, and returns the new codes, which cannot be retrieved again. */
  async renewRecoveryCodes(tx: Tx, project: ProjectContext, customer: Customer): Promise<string[]> {
    const { codes, hashes } = this.codes.newRecoveryCodes(customer.id);
    await this.factors.replaceRecoveryCodes(tx, customer.id, hashes);
    await this.records.record(tx, 'recovery_codes.generated', customer, project);
    return codes;
  }

  /**
   * Removes an authenticator or a passkey from a customer whom the transaction has locked. The recovery codes
   * are removed together with the last factor of either kind.
   * @param details for the audit log
   * @returns the remaining factors
   * @throws GatehouseError `not_found`
   */
  async remove(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    id: string,
    details: Record<string, unknown> = {},
  ): Promise<CustomerFactors> {
    const removed = await this.factors.delete(tx, customer.id, id);
    if (!removed) return this.removePasskey(tx, project, customer, id, details);
    const content = { data: { factor: FactorResponse.from(removed) }, details: { factorId: id, ...details } };
    await this.records.record(tx, 'factor.removed', customer, project, content);
    return this.listRemaining(tx, customer.id);
  }

  /** Removes a passkey, like `remove`. */
  async removePasskey(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    id: string,
    details: Record<string, unknown> = {},
  ): Promise<CustomerFactors> {
    const removed = await this.passkeys.delete(tx, customer.id, id);
    if (!removed) throw notFound();
    const content = {
      data: { passkey: PasskeyResponse.from(removed) },
      details: { passkeyId: id, ...details },
    };
    await this.records.record(tx, 'passkey.removed', customer, project, content);
    return this.listRemaining(tx, customer.id);
  }

  /**
   * Checks that a customer who has removed a factor can still sign in.
   * @throws GatehouseError `conflict` if a second factor is required and none remains; `last_sign_in_method` if
   *   the customer could only sign in with passkeys and none remains
   */
  async assertMaySignIn(
    tx: Tx,
    project: ProjectContext,
    customer: CustomerWithPasswordHash,
    remaining: CustomerFactors,
  ): Promise<void> {
    if (effectiveMfa(project.settings.mfa, customer.mfa) === 'required' && !hasFactor(remaining))
      throw new GatehouseError('conflict', {
        detail: 'A second factor is required. Add another one before you remove this one.',
      });
    if (!project.settings.signIn.passkey || remaining.passkeys.length > 0) return;
    await this.methods.assertMaySignIn(tx, project, customer);
  }

  /**
   * Runs a change by a signed-in customer in a transaction that has locked the customer.
   * @throws GatehouseError `invalid_access_token` if the session has ended in the meantime
   */
  runLocked<Result>(
    caller: CustomerCaller,
    work: (tx: Tx, customer: CustomerForUpdate) => Promise<Result>,
  ): Promise<Result> {
    return this.transactions.join(async (tx) => work(tx, await this.fresh.lock(tx, caller)));
  }

  private async listRemaining(tx: Tx, customerId: string): Promise<CustomerFactors> {
    const remaining = await this.factors.list(customerId, tx);
    if (!hasFactor(remaining)) await this.factors.replaceRecoveryCodes(tx, customerId, []);
    return remaining;
  }

  private async recordAdded(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    added: TotpFactor,
  ): Promise<string[] | null> {
    const data = { factor: FactorResponse.from(added) };
    const details = { factorId: added.id };
    await this.records.record(tx, 'factor.added', customer, project, { data, details });
    return this.issueMissingCodes(tx, project, customer);
  }

  /**
   * Creates recovery codes for a customer who has none: with the first factor, or with a later factor if second
   * factors were previously disabled or all codes have been used.
   */
  private async issueMissingCodes(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
  ): Promise<string[] | null> {
    if (!isMfaEnabled(project, customer)) return null;
    const { recoveryCodes } = await this.factors.list(customer.id, tx);
    return recoveryCodes > 0 ? null : this.renewRecoveryCodes(tx, project, customer);
  }
}

/**
 * Returns a new secret with its QR code. The white background makes it readable on dark pages, because many
 * cameras require black on white.
 */
export const describeSecret = ({
  secret,
  uri,
}: Pick<NewTotpSecret, 'secret' | 'uri'>): TotpSecretResponse => ({
  secret,
  uri,
  qrCode: encodeQR(uri, 'svg').replace('<path', '<rect width="100%" height="100%" fill="#fff"/><path'),
});

export const hasFactor = ({ totp, passkeys }: CustomerFactors): boolean =>
  totp.length > 0 || passkeys.length > 0;
