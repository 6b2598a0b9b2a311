import { Injectable } from '@nestjs/common';
import { GatehouseError } from '@gatehouse/domain';
import {
  OperatorLoginAttemptsRepository,
  OperatorSessionsRepository,
  OperatorsRepository,
  Transactions,
} from '@gatehouse/persistence';
import { Config, newId } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import type { ConsoleCookie } from './console-cookie.js';
import type { Client } from '../http/request-context.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';
import { assertPasswordsAllowed } from './assert-passwords-allowed.js';
import type { AcceptInvitationRequest, SetUpRequest } from './dto/operator-session.request.js';
import type { OperatorSessionResponse } from './dto/operator-session.response.js';
import { OperatorCheckService } from './operator-check.service.js';
import { isCommandToken, OperatorLinksService } from './operator-links.service.js';
import { OperatorNoticesService } from './operator-notices.service.js';
import { OperatorSessionsService } from './operator-sessions.service.js';

/** Admits new operators with the setup link of a new installation or with an invitation. */
@Injectable()
export class OperatorAdmissionService {
  constructor(
    private readonly links: OperatorLinksService,
    private readonly policy: PasswordPolicyService,
    private readonly check: OperatorCheckService,
    private readonly operatorSessions: OperatorSessionsService,
    private readonly notices: OperatorNoticesService,
    private readonly operators: OperatorsRepository,
    private readonly sessions: OperatorSessionsRepository,
    private readonly attempts: OperatorLoginAttemptsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly config: Config,
  ) {}

  /**
   * Creates the first operator, an admin, and opens a session.
   * @throws GatehouseError `invalid_token` for an invalid link or if an operator already exists,
   *   `weak_password`, `overloaded`
   */
  async setUp(
    { token, email, name = null, password }: SetUpRequest,
    client: Client,
    cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    if ((await this.links.getOperatorId(token)) !== null) throw new GatehouseError('invalid_token');
    this.policy.assertStrongForOperator(email, password);
    const passwordHash = await this.check.hashPassword(password, client);
    const sessionToken = await this.transactions.run(async (tx) => {
      await this.operators.lockFirstOperator(tx);
      await this.links.use(tx, token);
      if (await this.operators.hasAny(tx)) throw new GatehouseError('invalid_token');
      const operator = await this.operators.insert(tx, {
        id: newId(),
        email,
        name,
        passwordHash,
        role: 'admin',
        organizationIds: null,
      });
      await this.links.voidAll(tx, null);
      const action = operatorAction('operator.created', operator!, { role: 'admin' });
      this.audit.record(tx, { ...action, operatorId: operator!.id });
      return this.operatorSessions.open(tx, operator!, client);
    });
    return this.operatorSessions.replaceToken(cookie, sessionToken, client);
  }

  /**
   * Sets an invited operator's password, ends all existing sessions, deletes the known client IPs, and opens a new
   * session. If single sign-on is required, only links from the `operator-link` command are accepted.
   * @throws GatehouseError `single_sign_on_required`, `invalid_token`, `weak_password` (the link stays valid),
   * `overloaded`
   */
  async acceptInvitation(
    { token, name = null, password }: AcceptInvitationRequest,
    client: Client,
    cookie: ConsoleCookie,
  ): Promise<OperatorSessionResponse> {
    if (!isCommandToken(token)) assertPasswordsAllowed(this.config);
    const id = await this.links.getOperatorId(token);
    if (id === null) throw new GatehouseError('invalid_token');
    this.policy.assertStrongForOperator((await this.operators.get(id)).email, password);
    const passwordHash = await this.check.hashPassword(password, client);
    const sessionToken = await this.transactions.run(async (tx) => {
      const { status, passwordHash: previousHash } = await this.operators.lock(tx, id);
      if (status === 'disabled') throw new GatehouseError('invalid_token');
      await this.links.use(tx, token);
      const operator = await this.operators.setPassword(tx, id, passwordHash, name);
      await this.sessions.endAll(tx, id);
      await this.attempts.deleteKnownAddresses(tx, id);
      const action = operatorAction('operator.invitation_accepted', operator);
      this.audit.record(tx, { ...action, operatorId: id });
      if (previousHash) await this.notices.notifyOwner(tx, 'password_changed', operator, client);
      return this.operatorSessions.open(tx, operator, client);
    });
    return this.operatorSessions.replaceToken(cookie, sessionToken, client);
  }
}
