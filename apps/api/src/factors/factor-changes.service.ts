import { Injectable } from '@nestjs/common';
import encodeQR from 'qr';
import {
  effectiveMfa,
  GatehouseError,
  MAX_TOTP_FACTORS,
  notFound,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  EventsRepository,
  FactorsRepository,
  type CustomerFactors,
  type TotpFactor,
  type Tx,
} from '@gatehouse/persistence';
import {
  hashRecoveryCodes,
  Keyring,
  newId,
  newRecoveryCodes,
  newTotpSecret,
  totpUri,
} from '@gatehouse/platform';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { customerEvent } from '../events/customer-events.js';
import { OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';
import { FactorResponse, type TotpSecretResponse } from './dto/factors.response.js';

/** A secret for an authenticator app, in plain text and encrypted. */
export interface NewTotpSecret {
  secret: string;
  /** The `otpauth://` URI that an app reads from a QR code. */
  uri: string;
  sealed: Buffer;
}

/** Adds and removes second factors, with the events, audit entries and notices of each change. */
@Injectable()
export class FactorChangesService {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly links: OneTimeLinksService,
    private readonly keyring: Keyring,
  ) {}

  /** @throws GatehouseError `method_not_enabled` if the customer may not enroll a second factor */
  assertEnabled({ settings }: ProjectContext, customer: Customer): void {
    if (effectiveMfa(settings.mfa, customer.mfa) === 'off') throw new GatehouseError('method_not_enabled');
  }

  /** Returns a new secret for an authenticator of a customer. */
  newSecret({ settings, name }: ProjectContext, { id, email }: Customer): NewTotpSecret {
    const secret = newTotpSecret();
    const uri = totpUri(secret, settings.branding.displayName ?? name, email);
    return { secret, uri, sealed: this.keyring.encrypt('totp-secret', id, secret) };
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
    const hadFactor = await this.factors.exists(tx, customer.id);
    const factor = { id: newId(), customerId: customer.id, secret: sealedSecret, step };
    return this.recordAdded(tx, project, customer, await this.factors.insert(tx, factor), hadFactor);
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
    const hadFactor = await this.factors.exists(tx, customer.id);
    const confirmed = await this.factors.confirm(tx, id, step);
    if (!confirmed) throw notFound();
    return this.recordAdded(tx, project, customer, confirmed, hadFactor);
  }

  /** Replaces the recovery codes of a customer, and returns the new ones, which are not shown again. */
  async renewRecoveryCodes(tx: Tx, project: ProjectContext, customer: Customer): Promise<string[]> {
    const codes = newRecoveryCodes();
    await this.factors.replaceRecoveryCodes(
      tx,
      customer.id,
      hashRecoveryCodes(this.keyring, customer.id, codes),
    );
    this.events.record(tx, [customerEvent('recovery_codes.generated', customer, project)]);
    this.audit.record(tx, customerAction('customer.recovery_codes_generated', customer, project));
    return codes;
  }

  /**
   * Removes a factor of a customer whom the transaction has locked. The recovery codes go with the last factor.
   * @param details for the audit log
   * @returns the factors that are left
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
    if (!removed) throw notFound();
    const left = await this.factors.list(customer.id, tx);
    if (left.totp.length === 0) await this.factors.replaceRecoveryCodes(tx, customer.id, []);
    const factor = FactorResponse.from(removed);
    this.events.record(tx, [customerEvent('factor.removed', customer, project, { factor })]);
    this.audit.record(
      tx,
      customerAction('customer.factor_removed', customer, project, { factorId: id, ...details }),
    );
    await this.links.notify(tx, 'factor-removed', customer, project);
    return left;
  }

  private async recordAdded(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    added: TotpFactor,
    hadFactor: boolean,
  ): Promise<string[] | null> {
    const factor = FactorResponse.from(added);
    this.events.record(tx, [customerEvent('factor.added', customer, project, { factor })]);
    this.audit.record(tx, customerAction('customer.factor_added', customer, project, { factorId: added.id }));
    await this.links.notify(tx, 'factor-added', customer, project);
    return hadFactor ? null : this.renewRecoveryCodes(tx, project, customer);
  }
}

/** Returns a new secret with its QR code, which is black on white on dark pages too: many cameras read only that. */
export const describeSecret = ({ secret, uri }: NewTotpSecret): TotpSecretResponse => ({
  secret,
  uri,
  qrCode: encodeQR(uri, 'svg').replace('<path', '<rect width="100%" height="100%" fill="#fff"/><path'),
});
