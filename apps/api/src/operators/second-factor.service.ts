import { Injectable } from '@nestjs/common';
import { notSignedInError, type OperatorCaller } from '@gatehouse/auth';
import { GatehouseError, parseValidUrl, type Operator } from '@gatehouse/domain';
import {
  OperatorSessionsRepository,
  OperatorsRepository,
  Transactions,
  type OperatorSession,
  type Tx,
} from '@gatehouse/persistence';
import { Config } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import { FactorCodesService, type NewTotpSecret } from '../factors/factor-codes.service.js';
import type { ConsoleCookie } from './console-cookie.js';
import type { Client } from '../http/request-context.js';
import type {
  EnrolledResponse,
  EnrollmentResponse,
  OperatorSessionResponse,
} from './dto/operator-session.response.js';
import { OperatorCheckService } from './operator-check.service.js';
import { OperatorNoticesService } from './operator-notices.service.js';
import { assertNotSingleSignOn, OperatorSessionsService } from './operator-sessions.service.js';

/** Enrolls operators' authenticators, and verifies their codes and the recovery codes that can replace them. */
@Injectable()
export class SecondFactorService {
  constructor(
    private readonly check: OperatorCheckService,
    private readonly operatorSessions: OperatorSessionsService,
    private readonly notices: OperatorNoticesService,
    private readonly operators: OperatorsRepository,
    private readonly sessions: OperatorSessionsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly codes: FactorCodesService,
    private readonly config: Config,
  ) {}

  /**
   * Completes a session's sign-in with an authenticator code or a recovery code. Each code works once.
   * @throws GatehouseError `operator_session_required`, `too_many_attempts`, `invalid_code`
   */
  async verifyCode(code: string, client: Client, cookie: ConsoleCookie): Promise<OperatorSessionResponse> {
    const session = await this.operatorSessions.getAtStage('second_factor', cookie);
    const { operator } = session;
    await this.check.countAttempt(operator.email, client);
    const token = await this.transactions.run(async (tx) => {
      const secondFactor = await this.consumeCode(tx, operator, code, client);
      await this.check.recordSignIn(tx, operator, client);
      return this.operatorSessions.signIn(tx, session, { secondFactor });
    });
    return this.operatorSessions.replaceToken(cookie, token, client);
  }

  /**
   * Returns a new authenticator secret for an operator who has no authenticator.
   * @throws GatehouseError `operator_session_required`
   */
  async beginEnrollment(cookie: ConsoleCookie): Promise<EnrollmentResponse> {
    const { id, operator } = await this.operatorSessions.getEnrollingSession(cookie);
    const secret = this.newSecret(operator);
    await this.sessions.savePendingSecret(id, secret.sealed);
    return describeEnrollment(secret);
  }

  /**
   * Returns the secret for an authenticator that will replace the current one. Requires a code from the current
   * authenticator or a recovery code: a recent reauthentication is not sufficient, because a stolen session could then
   * replace the authenticator.
   * @throws GatehouseError `factor_required`, `too_many_attempts`, `invalid_code`
   */
  async beginReplacement(
    { operatorId: id, email, sessionId, hasSecondFactor }: OperatorCaller,
    code: string,
    client: Client,
  ): Promise<EnrollmentResponse> {
    if (!hasSecondFactor) throw new GatehouseError('factor_required');
    const { granted } = await this.check.countAttempt(email, client);
    const secret = this.newSecret({ id, email });
    await this.transactions.run(async (tx) => {
      const secondFactor = await this.consumeCode(tx, { id, email }, code, client);
      await this.check.releaseAttempt(tx, email, granted);
      await this.sessions.savePendingSecret(sessionId, secret.sealed, tx);
      const details = { secondFactor, purpose: 'authenticator_replacement' };
      this.audit.record(tx, operatorAction('operator.reauthenticated', { id }, details));
    });
    return describeEnrollment(secret);
  }

  /**
   * Enrolls the authenticator that produced the code, and completes the sign-in. A previous authenticator and
   * its recovery codes become invalid. Ends the operator's other sessions.
   * @throws GatehouseError `operator_session_required`, `too_many_attempts`, `invalid_code`
   */
  async confirmEnrollment(code: string, client: Client, cookie: ConsoleCookie): Promise<EnrolledResponse> {
    const session = await this.operatorSessions.getConfirmingSession(cookie);
    const { operator, newTotpSecret: sealed } = session;
    await this.check.countAttempt(operator.email, client);
    const step = sealed && this.codes.matchStep(operator.id, sealed, code);
    if (!sealed || step === null) throw this.check.recordFailure(operator, 'invalid_code');
    const { codes: recoveryCodes, hashes } = this.codes.newRecoveryCodes(operator.id);
    const token = await this.transactions.run(async (tx) => {
      await this.enroll(tx, session, sealed, step, hashes);
      await this.check.recordSuccess(tx, operator, client);
      await this.notices.notifyOwner(tx, 'second_factor_enrolled', operator, client);
      return this.operatorSessions.signIn(tx, session, { secondFactor: 'authenticator' });
    });
    return { session: await this.operatorSessions.replaceToken(cookie, token, client), recoveryCodes };
  }

  /**
   * Completes the sign-in of an operator who has no authenticator. Allowed only outside production and from a loopback
   * address.
   * @throws GatehouseError `operator_session_required`, `factor_required`
   */
  async skipEnrollment(client: Client, cookie: ConsoleCookie): Promise<OperatorSessionResponse> {
    const session = await this.operatorSessions.getAtStage('enrollment', cookie);
    if (!this.operatorSessions.maySkipEnrollment(client)) throw new GatehouseError('factor_required');
    const token = await this.transactions.run(async (tx) => {
      await this.check.recordSignIn(tx, session.operator, client);
      return this.operatorSessions.signIn(tx, session, { secondFactor: null });
    });
    return this.operatorSessions.replaceToken(cookie, token, client);
  }

  /**
   * Verifies the second factor of a signed-in operator again, which allows sensitive actions in this session for five
   * minutes.
   * @throws GatehouseError `factor_required`, `too_many_attempts`, `invalid_code`, `operator_session_required`,
   * `conflict` after single sign-on
   */
  async reauthenticate(
    caller: OperatorCaller,
    code: string,
    client: Client,
    cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    const { operatorId: id, email } = caller;
    assertNotSingleSignOn(caller);
    if (!caller.hasSecondFactor) throw new GatehouseError('factor_required');
    const { granted } = await this.check.countAttempt(email, client);
    const token = await this.transactions.run(async (tx) => {
      const secondFactor = await this.consumeCode(tx, { id, email }, code, client);
      await this.check.releaseAttempt(tx, email, granted);
      return this.operatorSessions.reauthenticate(tx, caller, { secondFactor });
    });
    return this.operatorSessions.replaceToken(cookie, token, client);
  }

  /**
   * Replaces all recovery codes and returns the new codes.
   * @throws GatehouseError `too_many_attempts`, `invalid_code`
   */
  async renewRecoveryCodes(
    { operatorId: id, email }: OperatorCaller,
    code: string,
    client: Client,
  ): Promise<string[]> {
    const { granted } = await this.check.countAttempt(email, client);
    const { codes: recoveryCodes, hashes } = this.codes.newRecoveryCodes(id);
    await this.transactions.run(async (tx) => {
      await this.consumeCode(tx, { id, email }, code, client);
      await this.check.releaseAttempt(tx, email, granted);
      await this.operators.setRecoveryCodes(tx, id, hashes);
      await this.notices.notifyOwner(tx, 'recovery_codes_renewed', { email }, client);
      this.audit.record(tx, operatorAction('operator.recovery_codes_renewed', { id }));
    });
    return recoveryCodes;
  }

  /**
   * Consumes a code and returns its kind. Notifies the operator if a recovery code was used.
   * @throws GatehouseError `invalid_code`
   */
  private async consumeCode(
    tx: Tx,
    { id, email }: Pick<Operator, 'id' | 'email'>,
    code: string,
    client: Client,
  ): Promise<'authenticator' | 'recovery_code'> {
    const { totpSecret } = await this.operators.lock(tx, id);
    const authenticators = totpSecret ? [{ id, secret: totpSecret }] : [];
    if (await this.codes.consumeTotpCode(tx, this.operators, id, authenticators, code))
      return 'authenticator';
    if (await this.codes.consumeRecoveryCode(tx, this.operators, id, code)) {
      await this.notices.notifyOwner(tx, 'recovery_code_used', { email }, client);
      return 'recovery_code';
    }
    throw this.check.recordFailure({ id }, 'invalid_code');
  }

  private async enroll(
    tx: Tx,
    { id, operator, totpSecret: previousSecret }: OperatorSession,
    sealedSecret: Buffer,
    step: number,
    recoveryCodeHashes: Buffer[],
  ): Promise<void> {
    const { totpSecret } = await this.operators.lock(tx, operator.id);
    // Another session has enrolled an authenticator in the meantime.
    if (!isSameSecret(totpSecret, previousSecret)) throw notSignedInError();
    const secret = this.codes.reencrypt(operator.id, sealedSecret);
    await this.operators.enrollAuthenticator(tx, operator.id, secret, step, recoveryCodeHashes);
    await this.sessions.endAll(tx, operator.id, id);
    const details = previousSecret ? { replaced: true } : {};
    const action = operatorAction('operator.second_factor_enrolled', operator, details);
    this.audit.record(tx, { ...action, operatorId: operator.id });
  }

  private newSecret({ id, email }: Pick<Operator, 'id' | 'email'>): NewTotpSecret {
    const { hostname } = parseValidUrl(this.config.publicUrl);
    return this.codes.newSecret(id, `Gatehouse (${hostname})`, email);
  }
}

const describeEnrollment = ({ secret, uri }: NewTotpSecret): EnrollmentResponse => ({
  secret,
  otpauthUri: uri,
});

const isSameSecret = (one: Buffer | null, other: Buffer | null): boolean =>
  one && other ? one.equals(other) : one === other;
