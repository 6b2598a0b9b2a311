import { Injectable } from '@nestjs/common';
import { notSignedInError, type OperatorCaller } from '@gatehouse/auth';
import { GatehouseError, invalidField } from '@gatehouse/domain';
import {
  OperatorSessionsRepository,
  OperatorsRepository,
  Transactions,
  type Tx,
} from '@gatehouse/persistence';
import { Config } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import type { ConsoleCookie } from './console-cookie.js';
import type { Client } from '../http/request-context.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';
import { assertPasswordsAllowed } from './assert-passwords-allowed.js';
import type { ChangeOperatorPasswordRequest, OperatorSignInRequest } from './dto/operator-session.request.js';
import type { OperatorSessionResponse } from './dto/operator-session.response.js';
import { OperatorCheckService, type AuthenticatedOperator } from './operator-check.service.js';
import { OperatorNoticesService } from './operator-notices.service.js';
import { OperatorSessionsService } from './operator-sessions.service.js';

/** Signs operators in with their passwords, and changes the passwords. */
@Injectable()
export class OperatorLoginService {
  constructor(
    private readonly policy: PasswordPolicyService,
    private readonly check: OperatorCheckService,
    private readonly operatorSessions: OperatorSessionsService,
    private readonly notices: OperatorNoticesService,
    private readonly operators: OperatorsRepository,
    private readonly sessions: OperatorSessionsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly config: Config,
  ) {}

  /**
   * Opens a session whose second factor is still pending.
   * @throws GatehouseError `single_sign_on_required`, `invalid_credentials`, `too_many_attempts`,
   *   `operator_disabled`, `overloaded`
   */
  async signIn(
    { email, password }: OperatorSignInRequest,
    client: Client,
    cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    assertPasswordsAllowed(this.config);
    const operator = await this.check.checkPassword(email, password, client);
    if (operator.status === 'disabled') {
      throw new GatehouseError('operator_disabled', { subject: { operatorId: operator.id } });
    }
    const newHash = await this.check.rehashIfOutdated(operator, password);
    const token = await this.transactions.run(async (tx) => {
      await this.lockAuthenticated(tx, operator);
      if (newHash) await this.operators.updatePasswordHash(tx, operator.id, newHash);
      await this.operatorSessions.end(tx, cookie);
      return this.operatorSessions.open(tx, operator, client);
    });
    return this.operatorSessions.replaceToken(cookie, token, client);
  }

  /**
   * Changes the caller's password, replaces the session cookie and ends the caller's other sessions.
   * @throws GatehouseError `single_sign_on_required`, `validation_failed`, `invalid_credentials`,
   *   `too_many_attempts`, `weak_password`, `overloaded`, `operator_session_required`
   */
  async changePassword(
    caller: OperatorCaller,
    { currentPassword, newPassword }: ChangeOperatorPasswordRequest,
    client: Client,
    cookie: ConsoleCookie,
  ): Promise<void> {
    assertPasswordsAllowed(this.config);
    const { operatorId, email, sessionId } = caller;
    if (newPassword === currentPassword) {
      throw invalidField('newPassword', 'unchanged', 'newPassword must differ from the current password');
    }
    this.policy.assertStrongForOperator(email, newPassword, 'newPassword');
    const operator = await this.check.checkPassword(email, currentPassword, client);
    const passwordHash = await this.check.hashPassword(newPassword, client);
    const token = await this.transactions.run(async (tx) => {
      await this.lockAuthenticated(tx, operator);
      await this.operators.setPassword(tx, operatorId, passwordHash);
      await this.check.releaseAttempt(tx, email, operator.granted);
      const ended = await this.sessions.endAll(tx, operatorId, sessionId);
      this.audit.record(tx, operatorAction('operator.password_changed', operator, { ended }));
      await this.notices.notifyOwner(tx, 'password_changed', operator, client);
      return this.operatorSessions.renew(tx, caller);
    });
    cookie.set(token);
  }

  /**
   * @throws GatehouseError `invalid_credentials` if the status or the password has changed since the check
   */
  private async lockAuthenticated(
    tx: Tx,
    { id, passwordHash, status }: AuthenticatedOperator,
  ): Promise<void> {
    const current = await this.operators.lock(tx, id);
    if (current.passwordHash !== passwordHash || current.status !== status) {
      throw notSignedInError('invalid_credentials', { operatorId: id });
    }
  }
}
