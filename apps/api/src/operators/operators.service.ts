import { Injectable } from '@nestjs/common';
import { canonicalEmail, GatehouseError, type Operator } from '@gatehouse/domain';
import {
  NIL_UUID,
  OperatorLoginAttemptsRepository,
  OperatorPasskeysRepository,
  OperatorSessionsRepository,
  OperatorsRepository,
  Transactions,
  type CappedCount,
  type OperatorSessionRecord,
  type Tx,
} from '@gatehouse/persistence';
import { Config, CursorCodec, newId } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import { readPage, type Page } from '../http/lists/paging.js';
import type { Precondition } from '../http/preconditions/precondition.js';
import { assertPasswordsAllowed } from './assert-passwords-allowed.js';
import type {
  CountOperatorsQuery,
  InviteOperatorRequest,
  ListOperatorsQuery,
  UpdateOperatorRequest,
} from './dto/operator.request.js';
import { assertNotLastAdmin, assertNotSelf, OperatorChangesService } from './operator-changes.service.js';
import { OperatorLinksService } from './operator-links.service.js';
import {
  commandActor,
  OperatorNoticesService,
  type ActingAdmin,
  type NoticeActor,
} from './operator-notices.service.js';

/** An operator with a new invitation link, which is returned only once. `url` is null if the link is sent by email. */
export interface InvitedOperator {
  operator: Operator;
  url: string | null;
}

/** A link that a command prints. `email` is null if the link creates the first operator. */
export interface CommandLink {
  url: string;
  email: string | null;
}

/** Manages operators for admins and for the server-side command. */
@Injectable()
export class OperatorsService {
  constructor(
    private readonly operators: OperatorsRepository,
    private readonly sessions: OperatorSessionsRepository,
    private readonly passkeys: OperatorPasskeysRepository,
    private readonly attempts: OperatorLoginAttemptsRepository,
    private readonly changes: OperatorChangesService,
    private readonly links: OperatorLinksService,
    private readonly notices: OperatorNoticesService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly cursors: CursorCodec,
    private readonly config: Config,
  ) {}

  /** @throws GatehouseError `invalid_cursor` */
  list(query: ListOperatorsQuery): Promise<Page<Operator>> {
    const { q = null } = query;
    return readPage(this.cursors, ['operators', q], query, (before, limit) =>
      this.operators.list(q, before, limit),
    );
  }

  count({ q }: CountOperatorsQuery): Promise<CappedCount> {
    return this.operators.count(q ?? null);
  }

  /**
   * @throws GatehouseError `single_sign_on_required`, `conflict` if an operator with this address exists,
   *   `validation_failed` for an organization that does not exist
   */
  invite(admin: ActingAdmin, input: InviteOperatorRequest): Promise<InvitedOperator> {
    assertPasswordsAllowed(this.config);
    const { email, role } = input;
    return this.transactions.run(async (tx) => {
      const organizationIds = await this.changes.resolveOrganizations(tx, input.organizationIds);
      const fields = { id: newId(), email, name: null, passwordHash: null, role, organizationIds };
      const operator = await this.operators.insert(tx, fields);
      if (!operator) throw conflict('An operator with this email address already exists.');
      const details = { role, ...(organizationIds && { organizationIds }) };
      this.audit.record(tx, operatorAction('operator.invited', operator, details));
      await this.notices.notifyAdmins(tx, 'invited', admin, operator, { role });
      return { operator, url: await this.links.createInvitation(tx, operator) };
    });
  }

  /**
   * Creates a new invitation link, for an invited operator or for an operator who has forgotten the password. The
   * authenticator stays enrolled.
   * @throws GatehouseError `single_sign_on_required`, `not_found`, `conflict` if the operator is disabled or is the
   *   caller
   */
  inviteAgain(admin: ActingAdmin, id: string): Promise<InvitedOperator> {
    assertPasswordsAllowed(this.config);
    assertNotSelf(admin, id, 'You cannot invite yourself again. Change your password under Account.');
    return this.transactions.run(async (tx) => {
      const operator = await this.operators.lock(tx, id);
      assertEnabled(operator);
      this.audit.record(tx, operatorAction('operator.invited', operator, { again: true }));
      await this.notices.notifyAdmins(tx, 'invited_again', admin, operator);
      return { operator, url: await this.links.createInvitation(tx, operator) };
    });
  }

  /** @throws GatehouseError `not_found` */
  get(id: string): Promise<Operator> {
    return this.operators.get(id);
  }

  /**
   * @throws GatehouseError `not_found`, `precondition_failed`, `last_admin`, `validation_failed`, `conflict` if the
   * caller would change their own access
   */
  update(
    admin: ActingAdmin,
    id: string,
    patch: UpdateOperatorRequest,
    precondition: Precondition,
  ): Promise<Operator> {
    return this.transactions.run((tx) => this.changes.apply(tx, admin, id, patch, precondition));
  }

  /**
   * Disables an operator immediately: ends the sessions, voids the links and deletes the known client IPs.
   * @throws GatehouseError `not_found`, `conflict` if the operator is the caller, `last_admin`
   */
  disable(admin: ActingAdmin, id: string): Promise<Operator> {
    assertNotSelf(admin, id, 'You cannot disable yourself.');
    return this.transactions.run(async (tx) => {
      const admins = await this.changes.lockAdmins(tx);
      const operator = await this.operators.lock(tx, id);
      if (operator.status === 'disabled') return operator;
      assertNotLastAdmin(admins, id);
      await this.sessions.endAll(tx, id);
      await this.links.voidAll(tx, id);
      await this.attempts.deleteKnownAddresses(tx, id);
      this.audit.record(tx, operatorAction('operator.disabled', operator));
      await this.notices.notifyAdmins(tx, 'disabled', admin, operator);
      return this.operators.setDisabled(tx, id, true);
    });
  }

  /** @throws GatehouseError `not_found`, `conflict` if the operator is the caller */
  enable(admin: ActingAdmin, id: string): Promise<Operator> {
    assertNotSelf(admin, id, 'You cannot enable yourself.');
    return this.transactions.run(async (tx) => {
      const operator = await this.operators.lock(tx, id);
      if (operator.status !== 'disabled') return operator;
      this.audit.record(tx, operatorAction('operator.enabled', operator));
      await this.notices.notifyAdmins(tx, 'enabled', admin, operator);
      return this.operators.setDisabled(tx, id, false);
    });
  }

  /**
   * Removes the authenticator and the passkeys of an operator who has lost them, so that the next sign-in enrolls a new
   * second factor. Ends the sessions and deletes the known client IPs.
   * @throws GatehouseError `not_found`, `conflict` if the operator is the caller
   */
  resetSecondFactor(admin: ActingAdmin, id: string): Promise<Operator> {
    assertNotSelf(admin, id, 'You cannot reset your own second factor.');
    return this.transactions.run(async (tx) => {
      const operator = await this.operators.lock(tx, id);
      return this.removeSecondFactor(tx, admin, operator);
    });
  }

  /**
   * Creates a link to set a new password or, if no operator exists, to create the first operator. Voids older links.
   * @param email may be null if there is at most one operator
   * @param resetsSecondFactor true to remove the second factor as well
   * @throws GatehouseError `not_found`, `conflict` if the operator is disabled or the email is missing
   */
  async createCommandLink(email: string | null, resetsSecondFactor: boolean): Promise<CommandLink> {
    const found = email === null ? await this.getOnlyOperator() : await this.getByEmail(email);
    return this.transactions.run(async (tx) => {
      if (!found) {
        this.audit.record(tx, operatorAction('operator.invited', noOperator, { by: 'command' }));
        return { email: null, url: await this.links.createCommandLink(tx, null) };
      }
      const operator = await this.operators.lock(tx, found.id);
      assertEnabled(operator);
      if (resetsSecondFactor) await this.removeSecondFactor(tx, commandActor, operator);
      this.audit.record(tx, operatorAction('operator.invited', operator, { again: true, by: 'command' }));
      await this.notices.notifyAdmins(tx, 'invited_again', commandActor, operator);
      return { email: operator.email, url: await this.links.createCommandLink(tx, operator.id) };
    });
  }

  /** @throws GatehouseError `not_found` */
  async listSessions(id: string): Promise<OperatorSessionRecord[]> {
    await this.operators.get(id);
    return this.sessions.list(id);
  }

  /** @throws GatehouseError `not_found` */
  async endSessions(id: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const operator = await this.operators.lock(tx, id);
      const ended = await this.sessions.endAll(tx, id);
      if (ended > 0) this.audit.record(tx, operatorAction('operator.sessions_revoked', operator, { ended }));
    });
  }

  private async removeSecondFactor(tx: Tx, actor: NoticeActor, operator: Operator): Promise<Operator> {
    const { id } = operator;
    if (!operator.secondFactor) return operator;
    await this.sessions.endAll(tx, id);
    await this.attempts.deleteKnownAddresses(tx, id);
    this.audit.record(tx, operatorAction('operator.second_factor_reset', operator));
    await this.notices.notifyAdmins(tx, 'second_factor_reset', actor, operator);
    await this.passkeys.deleteAll(tx, id);
    return this.operators.removeSecondFactor(tx, id);
  }

  private async getByEmail(email: string): Promise<Operator> {
    const operator = await this.operators.findByEmail(canonicalEmail(email) ?? email);
    if (operator) return operator;
    throw new GatehouseError('not_found', { detail: `No operator has the email address ${email}.` });
  }

  /** Returns the only operator, or null if there is none. @throws GatehouseError `conflict` if there are more */
  private async getOnlyOperator(): Promise<Operator | null> {
    const [operator = null, other] = await this.operators.list(null, null, 2);
    if (!other) return operator;
    const admins = await this.transactions.run((tx) => this.operators.listAdminEmails(tx));
    throw conflict(`Add the email address of an operator. These operators are admins: ${admins.join(', ')}.`);
  }
}

/** Target of the audit entry for a setup link, because no operator exists. */
const noOperator = { id: NIL_UUID };

const conflict = (detail: string): GatehouseError => new GatehouseError('conflict', { detail });

/** @throws GatehouseError `conflict` */
function assertEnabled({ status }: Operator): void {
  if (status === 'disabled') throw conflict('The operator is disabled. Enable the operator first.');
}
