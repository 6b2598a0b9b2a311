import { Injectable } from '@nestjs/common';
import { notSignedInError, type OperatorCaller } from '@gatehouse/auth';
import {
  GatehouseError,
  MAX_PASSKEYS,
  notFound,
  operatorRelyingParty,
  reauthenticationMethods,
  type Operator,
} from '@gatehouse/domain';
import {
  OperatorPasskeysRepository,
  OperatorSessionsRepository,
  OperatorsRepository,
  Transactions,
  type LoginAllowance,
  type NewPasskey,
  type OperatorPasskey,
  type OperatorPasskeyPurpose,
  type Tx,
} from '@gatehouse/persistence';
import {
  beginPasskeyAssertion,
  beginPasskeyRegistration,
  Config,
  newId,
  verifyPasskeyAssertion,
  verifyPasskeyRegistration,
  type PasskeyAssertion,
  type PasskeyRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type WebAuthnCeremony,
} from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import { FactorCodesService } from '../factors/factor-codes.service.js';
import type { ConsoleCookie } from './console-cookie.js';
import type { Client } from '../http/request-context.js';
import { RunningApisService } from '../running-apis/running-apis.service.js';
import type { EnrolledResponse, OperatorSessionResponse } from './dto/operator-session.response.js';
import { OperatorCheckService } from './operator-check.service.js';
import { OperatorNoticesService } from './operator-notices.service.js';
import { assertNotSingleSignOn, OperatorSessionsService } from './operator-sessions.service.js';

type Owner = Pick<Operator, 'id' | 'email'>;

/** A session's passkey challenge, for its operator. */
interface Ceremony {
  sessionId: string;
  owner: Owner;
  purpose: OperatorPasskeyPurpose;
}

/** A verified response to a challenge, and the allowance that granted the attempt. */
type Verified<T> = T & { granted: LoginAllowance };

/** Registers operator passkeys, and verifies them as a second factor. */
@Injectable()
export class OperatorPasskeysService {
  constructor(
    private readonly passkeys: OperatorPasskeysRepository,
    private readonly operators: OperatorsRepository,
    private readonly sessions: OperatorSessionsRepository,
    private readonly operatorSessions: OperatorSessionsService,
    private readonly check: OperatorCheckService,
    private readonly notices: OperatorNoticesService,
    private readonly codes: FactorCodesService,
    private readonly apis: RunningApisService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly config: Config,
  ) {}

  /** @throws GatehouseError `operator_session_required`, `method_not_enabled` */
  async beginSignIn(cookie: ConsoleCookie): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { id, operator } = await this.operatorSessions.getAtStage('second_factor', cookie);
    return this.beginAssertion({ sessionId: id, owner: operator, purpose: 'second_factor' });
  }

  /**
   * Completes a session's sign-in with a passkey.
   * @throws GatehouseError `operator_session_required`, `too_many_attempts`, `passkey_not_accepted`,
   * `method_not_enabled`
   */
  async completeSignIn(
    response: PasskeyAssertion,
    client: Client,
    cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    const session = await this.operatorSessions.getAtStage('second_factor', cookie);
    const { operator } = session;
    const ceremony = { sessionId: session.id, owner: operator, purpose: 'second_factor' } as const;
    const proof = await this.verifyAssertion(ceremony, response, client);
    const token = await this.transactions.run(async (tx) => {
      await this.recordUse(tx, operator.id, proof);
      await this.check.recordSignIn(tx, operator, client);
      return this.operatorSessions.signIn(tx, session, { secondFactor: 'passkey' });
    });
    return this.operatorSessions.replaceToken(cookie, token, client);
  }

  /** @throws GatehouseError `method_not_enabled` */
  beginReauthentication({
    sessionId,
    operatorId: id,
    email,
  }: OperatorCaller): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return this.beginAssertion({ sessionId, owner: { id, email }, purpose: 'reauthenticate' });
  }

  /**
   * @throws GatehouseError `too_many_attempts`, `passkey_not_accepted`, `method_not_enabled`,
   *   `operator_session_required`, `conflict` after single sign-on
   */
  async reauthenticate(
    caller: OperatorCaller,
    response: PasskeyAssertion,
    client: Client,
    cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    const { sessionId, operatorId: id, email } = caller;
    assertNotSingleSignOn(caller);
    const ceremony = { sessionId, owner: { id, email }, purpose: 'reauthenticate' } as const;
    const proof = await this.verifyAssertion(ceremony, response, client);
    const token = await this.transactions.run(async (tx) => {
      await this.recordUse(tx, id, proof);
      await this.check.releaseAttempt(tx, email, proof.granted);
      return this.operatorSessions.reauthenticate(tx, caller, { secondFactor: 'passkey' });
    });
    return this.operatorSessions.replaceToken(cookie, token, client);
  }

  /**
   * Returns the options to create a passkey for an operator who has no second factor.
   * @throws GatehouseError `operator_session_required`, `method_not_enabled`
   */
  async beginEnrollment(cookie: ConsoleCookie): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { id, operator } = await this.operatorSessions.getEnrollingSession(cookie);
    return this.beginRegistration({ sessionId: id, owner: operator, purpose: 'enroll' });
  }

  /**
   * Adds an operator's first second factor, completes the sign-in, and ends the operator's other sessions.
   * @throws GatehouseError `operator_session_required`, `too_many_attempts`, `passkey_not_accepted`,
   * `method_not_enabled`, `conflict` while an older API process is running
   */
  async enroll(
    name: string,
    response: PasskeyRegistration,
    client: Client,
    cookie: ConsoleCookie,
  ): Promise<EnrolledResponse> {
    const session = await this.operatorSessions.getEnrollingSession(cookie);
    const { operator } = session;
    const ceremony = { sessionId: session.id, owner: operator, purpose: 'enroll' } as const;
    const passkey = await this.verifyRegistration(ceremony, response, client);
    const { codes: recoveryCodes, hashes } = this.codes.newRecoveryCodes(operator.id);
    const token = await this.transactions.run(async (tx) => {
      // Another session may have enrolled a second factor in the meantime.
      if ((await this.operators.lock(tx, operator.id)).secondFactor) throw notSignedInError();
      await this.insert(tx, operator, passkey, name, client);
      await this.operators.setRecoveryCodes(tx, operator.id, hashes);
      await this.sessions.endAll(tx, operator.id, session.id);
      await this.check.recordSuccess(tx, operator, client);
      return this.operatorSessions.signIn(tx, session, { secondFactor: 'passkey' });
    });
    return { session: await this.operatorSessions.replaceToken(cookie, token, client), recoveryCodes };
  }

  list({ operatorId }: OperatorCaller): Promise<OperatorPasskey[]> {
    return this.passkeys.list(operatorId);
  }

  /** @throws GatehouseError `method_not_enabled`, `conflict` after single sign-on */
  async beginAdding(caller: OperatorCaller): Promise<PublicKeyCredentialCreationOptionsJSON> {
    assertNotSingleSignOn(caller);
    const { sessionId, operatorId: id, email } = caller;
    return this.beginRegistration({ sessionId, owner: { id, email }, purpose: 'add' });
  }

  /**
   * Adds a passkey, and ends the operator's other sessions.
   * @throws GatehouseError `too_many_attempts`, `passkey_not_accepted`, `method_not_enabled`, `conflict`,
   *   `reauthentication_required`
   */
  async add(
    caller: OperatorCaller,
    name: string,
    response: PasskeyRegistration,
    client: Client,
  ): Promise<OperatorPasskey> {
    assertNotSingleSignOn(caller);
    const { sessionId, operatorId: id, email } = caller;
    const ceremony = { sessionId, owner: { id, email }, purpose: 'add' } as const;
    const passkey = await this.verifyRegistration(ceremony, response, client);
    return this.transactions.run(async (tx) => {
      await this.operators.lock(tx, id);
      await this.consumeReauthentication(tx, caller);
      await this.sessions.endAll(tx, id, sessionId);
      if ((await this.passkeys.list(id, tx)).length >= MAX_PASSKEYS)
        throw conflict(`You already have ${MAX_PASSKEYS} passkeys. Remove one first.`);
      await this.check.releaseAttempt(tx, email, passkey.granted);
      return this.insert(tx, { id, email }, passkey, name, client);
    });
  }

  /** @throws GatehouseError `not_found` */
  rename({ operatorId: id }: OperatorCaller, passkeyId: string, name: string): Promise<OperatorPasskey> {
    return this.transactions.run(async (tx) => {
      const renamed = await this.passkeys.rename(tx, id, passkeyId, name);
      if (!renamed) throw notFound();
      this.audit.record(tx, operatorAction('operator.passkey_renamed', { id }, { passkeyId }));
      return renamed;
    });
  }

  /**
   * @throws GatehouseError `not_found`, `conflict` if it is the only second factor
   */
  async remove(caller: OperatorCaller, passkeyId: string, client: Client): Promise<void> {
    const { operatorId: id, email } = caller;
    await this.transactions.run(async (tx) => {
      const { totpSecret } = await this.operators.lock(tx, id);
      await this.consumeReauthentication(tx, caller);
      if (!(await this.passkeys.delete(tx, id, passkeyId))) throw notFound();
      if (!totpSecret && (await this.passkeys.list(id, tx)).length === 0)
        throw conflict('This is your only second factor. Add another one first.');
      this.audit.record(tx, operatorAction('operator.passkey_removed', { id }, { passkeyId }));
      await this.notices.notifyOwner(tx, 'passkey_removed', { email }, client);
    });
  }

  /**
   * Consumes a session's reauthentication, so that a stolen session cannot use a single reauthentication to replace all
   * passkeys.
   * @throws GatehouseError `reauthentication_required`
   */
  private async consumeReauthentication(tx: Tx, { sessionId, method }: OperatorCaller): Promise<void> {
    if (!(await this.sessions.consumeReauthentication(tx, sessionId)))
      throw new GatehouseError('reauthentication_required', {
        members: { methods: reauthenticationMethods[method] },
      });
  }

  private async insert(
    tx: Tx,
    { id: operatorId, email }: Owner,
    passkey: NewPasskey,
    name: string,
    client: Client,
  ): Promise<OperatorPasskey> {
    // An older API process would treat an operator whose only second factor is a passkey as one without a second
    // factor.
    await this.apis.assertNoOlderApi(tx, 'passkey');
    const inserted = await this.passkeys.insert(tx, { ...passkey, id: newId(), operatorId, name });
    if (!inserted) throw this.check.recordFailure({ id: operatorId }, 'passkey_not_accepted');
    const action = operatorAction('operator.passkey_added', { id: operatorId }, { passkeyId: inserted.id });
    this.audit.record(tx, { ...action, operatorId });
    await this.notices.notifyOwner(tx, 'passkey_added', { email }, client);
    return inserted;
  }

  private async beginAssertion(ceremony: Ceremony): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const webAuthn = this.toWebAuthn(ceremony);
    const allowed = await this.passkeys.listCredentials(ceremony.owner.id);
    if (allowed.length === 0) throw new GatehouseError('method_not_enabled');
    return beginPasskeyAssertion(webAuthn, allowed);
  }

  private async beginRegistration(ceremony: Ceremony): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const webAuthn = this.toWebAuthn(ceremony);
    const { id, email } = ceremony.owner;
    const existing = await this.passkeys.listCredentials(id);
    return beginPasskeyRegistration(webAuthn, { id, name: email, displayName: email }, existing);
  }

  private async verifyRegistration(
    ceremony: Ceremony,
    response: PasskeyRegistration,
    client: Client,
  ): Promise<Verified<NewPasskey>> {
    const webAuthn = this.toWebAuthn(ceremony);
    const { granted } = await this.check.countAttempt(ceremony.owner.email, client);
    const { passkey } = await verifyPasskeyRegistration(webAuthn, response);
    return { ...passkey, granted };
  }

  private async verifyAssertion(
    ceremony: Ceremony,
    response: PasskeyAssertion,
    client: Client,
  ): Promise<Verified<{ id: string; counter: number }>> {
    const webAuthn = this.toWebAuthn(ceremony);
    const { id, email } = ceremony.owner;
    const { granted } = await this.check.countAttempt(email, client);
    const find = (credentialId: Buffer) => this.passkeys.find(id, credentialId);
    const { passkey, counter } = await verifyPasskeyAssertion(webAuthn, response, find);
    return { id: passkey.id, counter, granted };
  }

  private async recordUse(
    tx: Tx,
    operatorId: string,
    { id, counter }: { id: string; counter: number },
  ): Promise<void> {
    // The lock on the operator prevents a concurrent reset of the second factor.
    await this.operators.lock(tx, operatorId);
    if (!(await this.passkeys.recordUse(tx, id, counter)))
      throw this.check.recordFailure({ id: operatorId }, 'passkey_not_accepted');
  }

  /** @throws GatehouseError `method_not_enabled` */
  private toWebAuthn({ sessionId, owner, purpose }: Ceremony): WebAuthnCeremony<boolean> {
    const relyingParty = operatorRelyingParty(this.config.publicUrl);
    if (!relyingParty) throw new GatehouseError('method_not_enabled');
    return {
      relyingParty,
      saveChallenge: (hash) => this.passkeys.saveChallenge(sessionId, hash, purpose),
      consumeChallenge: (hash) => this.passkeys.consumeChallenge(sessionId, hash, purpose),
      reject: () => this.check.recordFailure(owner, 'passkey_not_accepted'),
    };
  }
}

const conflict = (detail: string): GatehouseError => new GatehouseError('conflict', { detail });
