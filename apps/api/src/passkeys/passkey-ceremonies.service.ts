import { Injectable } from '@nestjs/common';
import {
  deviceName,
  effectiveRpId,
  GatehouseError,
  isMfaEnabled,
  isRevoked,
  passkeyMethods,
  type AuthenticationMethod,
  type Customer,
  type ProjectContext,
  type RelyingParty,
  type RevocableAccess,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  PasskeyCeremoniesRepository,
  PasskeysRepository,
  ProjectsRepository,
  Transactions,
  type NewPasskey,
  type PasskeyCeremony,
  type StoredPasskey,
  type Tx,
} from '@gatehouse/persistence';
import {
  beginPasskeyAssertion,
  beginPasskeyRegistration,
  Config,
  verifyPasskeyAssertion,
  verifyPasskeyRegistration,
  type PasskeyAssertion,
  type PasskeyRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type WebAuthnCeremony,
} from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import { PasskeyResponse } from './dto/passkey.response.js';

/** Returns a passkey's default name. */
export const defaultPasskeyName = (userAgent: string | null): string => deviceName(userAgent) ?? 'Passkey';

/**
 * Returns the same error for every reason why a passkey is not accepted.
 * @param cause for the log
 */
export const passkeyNotAcceptedError = (cause?: unknown): GatehouseError =>
  new GatehouseError('passkey_not_accepted', { headers: { 'WWW-Authenticate': 'Bearer' }, cause });

/** A passkey that a customer has just used to prove their identity. */
export interface VerifiedPasskey {
  id: string;
  customerId: string;
  methods: AuthenticationMethod[];
  /** Time at which the signed challenge was created. */
  requestedAt: Date;
}

/** A new passkey, and the time at which its signed challenge was created. */
export interface RegisteredPasskey {
  passkey: NewPasskey;
  requestedAt: Date;
}

/** Creates challenges for passkeys, and verifies the responses (ADR 0044). */
@Injectable()
export class PasskeyCeremoniesService {
  constructor(
    private readonly ceremonies: PasskeyCeremoniesRepository,
    private readonly passkeys: PasskeysRepository,
    private readonly customers: CustomersRepository,
    private readonly projects: ProjectsRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly config: Config,
  ) {}

  /** Returns the relying party for a project's passkeys, or null if the project does not support passkeys. */
  findRelyingParty({ settings, name }: ProjectContext): RelyingParty | null {
    const { passkeys, branding } = settings;
    const id = effectiveRpId(passkeys, this.config);
    if (id === null) return null;
    return {
      id,
      name: passkeys?.rpName ?? branding.displayName ?? name,
      origins: passkeys?.origins ?? null,
    };
  }

  /**
   * Checks that a customer may use passkeys: to sign in, or as a second factor.
   * @throws GatehouseError `method_not_enabled`
   */
  assertUsable(project: ProjectContext, customer: Pick<Customer, 'mfa'>): void {
    if (!this.isUsable(project, customer)) throw new GatehouseError('method_not_enabled');
  }

  isUsable(project: ProjectContext, customer: Pick<Customer, 'mfa'>): boolean {
    const isEnabled = project.settings.signIn.passkey || isMfaEnabled(project, customer);
    return isEnabled && this.findRelyingParty(project) !== null;
  }

  /**
   * Returns the options for the browser to create a passkey for a customer.
   * @throws GatehouseError `method_not_enabled`
   */
  async beginRegistration(
    project: ProjectContext,
    { id, email, firstName, lastName }: Customer,
    ceremony: PasskeyCeremony,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const webAuthn = this.toWebAuthn(project, ceremony);
    const existing = await this.passkeys.listCredentials(id);
    const displayName = [firstName, lastName].filter((name) => name !== null).join(' ') || email;
    return beginPasskeyRegistration(webAuthn, { id, name: email, displayName }, existing);
  }

  /**
   * Returns the options for the browser to use a passkey: one of the customer's or, without a customer, any passkey for
   * the site.
   * @throws GatehouseError `method_not_enabled`
   */
  async beginAuthentication(
    project: ProjectContext,
    ceremony: PasskeyCeremony,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const webAuthn = this.toWebAuthn(project, ceremony);
    const { customerId } = ceremony;
    const allowed = customerId === null ? null : await this.passkeys.listCredentials(customerId);
    return beginPasskeyAssertion(webAuthn, allowed);
  }

  /**
   * Verifies a new passkey. Its challenge can be used once.
   * @throws GatehouseError `passkey_not_accepted`, `method_not_enabled`
   */
  async verifyRegistration(
    project: ProjectContext,
    ceremony: PasskeyCeremony,
    response: PasskeyRegistration,
  ): Promise<RegisteredPasskey> {
    const { passkey, consumed } = await verifyPasskeyRegistration(
      this.toWebAuthn(project, ceremony),
      response,
    );
    return { passkey, requestedAt: consumed };
  }

  /**
   * Verifies a passkey's response, and saves its counter before anything else depends on it. Its challenge can be
   * used once. The caller completes the request in a transaction that calls `assertCurrent` or `assertExists`.
   * @throws GatehouseError `passkey_not_accepted`, `method_not_enabled`
   */
  async verifyAssertion(
    project: ProjectContext,
    ceremony: PasskeyCeremony,
    response: PasskeyAssertion,
  ): Promise<VerifiedPasskey> {
    const find = async (credentialId: Buffer) => {
      const found = await this.passkeys.findByCredential(project.id, credentialId);
      return found && isOwner(found, ceremony, response.response.userHandle) ? found : null;
    };
    const webAuthn = this.toWebAuthn(project, ceremony);
    const { passkey, counter, backedUp, consumed } = await verifyPasskeyAssertion(webAuthn, response, find);
    const { id, customerId, deviceBound } = passkey;
    if (!(await this.passkeys.recordUse(id, counter, backedUp))) {
      await this.reportCounter(project, passkey);
      throw passkeyNotAcceptedError();
    }
    return { id, customerId, methods: passkeyMethods(deviceBound), requestedAt: consumed };
  }

  /**
   * Checks that a passkey has not been removed since its response was verified. The transaction must have locked the
   * customer.
   * @throws GatehouseError `passkey_not_accepted`
   */
  async assertExists(tx: Tx, { id, customerId }: VerifiedPasskey): Promise<void> {
    if (!(await this.passkeys.find(tx, customerId, id))) throw passkeyNotAcceptedError();
  }

  /**
   * Checks that a passkey still exists, and that access has not been revoked since the challenge was created.
   * @throws GatehouseError `passkey_not_accepted`
   */
  async assertCurrent(tx: Tx, customer: RevocableAccess, passkey: VerifiedPasskey): Promise<void> {
    if (isRevoked(customer, passkey.requestedAt)) throw passkeyNotAcceptedError();
    await this.assertExists(tx, passkey);
  }

  /**
   * Checks that the project's passkeys are still bound to the same site. The site then cannot change until the
   * transaction ends.
   * @throws GatehouseError `passkey_not_accepted`
   */
  async assertSameSite(tx: Tx, project: ProjectContext): Promise<void> {
    if (!(await this.isSameSite(tx, project))) throw passkeyNotAcceptedError();
  }

  /**
   * Returns true if the project's passkeys are still bound to the same site. The site then cannot change until the
   * transaction ends.
   */
  async isSameSite(tx: Tx, { id, settings }: ProjectContext): Promise<boolean> {
    const { passkeys } = await this.projects.lockSettings(tx, id);
    return effectiveRpId(passkeys, this.config) === effectiveRpId(settings.passkeys, this.config);
  }

  private toWebAuthn(project: ProjectContext, ceremony: PasskeyCeremony): WebAuthnCeremony<Date> {
    const relyingParty = this.findRelyingParty(project);
    if (!relyingParty) throw new GatehouseError('method_not_enabled');
    return {
      relyingParty,
      saveChallenge: (hash) => this.ceremonies.insert(project.id, hash, ceremony),
      consumeChallenge: (hash) => this.ceremonies.consume(project.id, hash, ceremony),
      reject: passkeyNotAcceptedError,
    };
  }

  private async reportCounter(project: ProjectContext, { id, customerId }: StoredPasskey): Promise<void> {
    // oxlint-disable-next-line gatehouse/joined-transactions -- the ceremony fails
    await this.transactions.run(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, customerId);
      const passkey = customer && (await this.passkeys.find(tx, customerId, id));
      if (!customer || !passkey) return;
      const data = { passkey: PasskeyResponse.from(passkey) };
      this.events.record(tx, [customerEvent('passkey.counter_anomaly', customer, project, data)]);
    });
  }
}

/**
 * Returns true if a passkey belongs to the customer of the ceremony. Without a customer, the response must contain the
 * passkey's user handle.
 */
const isOwner = (
  { customerId, userHandle: ownHandle }: StoredPasskey,
  ceremony: PasskeyCeremony,
  handle: string | undefined,
): boolean =>
  (ceremony.customerId === null ? handle !== undefined : ceremony.customerId === customerId) &&
  (handle === undefined || handle === ownHandle.toString('base64url'));
