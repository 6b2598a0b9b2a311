import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import {
  notFound,
  surplusSessionCount,
  type Customer,
  type ProjectContext,
  type AccessScope,
  type RevocationReason,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  ProjectsRepository,
  sessionRevokedEvent,
  SessionsRepository,
  Transactions,
  type CustomerWithProject,
  type CustomerDetails,
  type NewEvent,
  type SessionRecord,
  type Tx,
} from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { readPage, type Page, type PageQuery } from '../http/lists/paging.js';

export const logoutScopes = ['this', 'others', 'all'] as const;
export type LogoutScope = (typeof logoutScopes)[number];

/**
 * Lists and ends sessions. Every request reads its session, so ending a session takes effect immediately on every replica.
 */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly lifecycle: AccountLifecycleService,
    private readonly customers: CustomersRepository,
    private readonly projects: ProjectsRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Returns a customer in an active or archived project, for requests that list the sessions.
   * @throws GatehouseError `not_found`
   */
  getCustomer(accessScope: AccessScope, id: string): Promise<CustomerDetails> {
    return this.customers.get(accessScope, id);
  }

  /**
   * Returns a customer in an active project, for requests that revoke sessions.
   * @throws GatehouseError `not_found`, `project_archived`
   */
  getActiveCustomer(accessScope: AccessScope, id: string): Promise<CustomerWithProject> {
    return this.customers.getActive(accessScope, id);
  }

  /** Returns a customer's active sessions, newest first. @throws GatehouseError `invalid_cursor` */
  list({ id, projectId }: Customer, query: PageQuery): Promise<Page<SessionRecord>> {
    return readPage(this.cursors, ['sessions', id], query, (before, limit) =>
      this.sessions.list(projectId, id, before, limit),
    );
  }

  /**
   * Ends the caller's session, the customer's other sessions, or all sessions. If the session is from a sign-in token,
   * the sign-out is audited, because the events alone look as if the customer had signed out.
   */
  async logout({ customer, sessionId, support }: CustomerCaller, scope: LogoutScope): Promise<void> {
    const project = await this.projects.getContext(customer.projectId);
    await this.transactions.join(async (tx) => {
      const events =
        scope === 'this'
          ? await this.endSession(tx, customer, project, sessionId, 'logout')
          : await this.lifecycle.revokeAccess(
              tx,
              project,
              customer,
              'logout',
              scope === 'others' ? sessionId : undefined,
            );
      this.events.record(tx, events);
      if (!support || events.length === 0) return;
      const details = { sessions: events.length, ...(scope === 'this' ? { sessionId } : {}) };
      this.audit.record(tx, customerAction('customer.sessions_revoked', customer, project, details));
    });
  }

  /** @throws GatehouseError `not_found` if the customer has no active session with this id */
  async revokeOwnSession(customer: Customer, sessionId: string): Promise<void> {
    await this.revoke(customer, await this.projects.getContext(customer.projectId), sessionId);
  }

  /** @throws GatehouseError `not_found` if the customer has no active session with this id */
  async revoke(customer: Customer, project: ProjectContext, sessionId: string): Promise<void> {
    await this.transactions.join(async (tx) => {
      const events = await this.endSession(tx, customer, project, sessionId, 'revoked');
      if (events.length === 0) throw notFound();
      this.events.record(tx, events);
      this.audit.record(
        tx,
        customerAction('customer.sessions_revoked', customer, project, { sessions: 1, sessionId }),
      );
    });
  }

  /** Ends all sessions of a customer. */
  async revokeAll(customer: Customer, project: ProjectContext): Promise<void> {
    await this.transactions.join(async (tx) => {
      const events = await this.lifecycle.revokeAccess(tx, project, customer, 'revoked');
      if (events.length === 0) return;
      this.events.record(tx, events);
      const sessions = events.length;
      this.audit.record(tx, customerAction('customer.sessions_revoked', customer, project, { sessions }));
    });
  }

  /** Ends one session. @returns the event to record, or none if the session has already ended */
  async endSession(
    tx: Tx,
    customer: Customer,
    project: ProjectContext,
    sessionId: string,
    reason: RevocationReason,
  ): Promise<NewEvent[]> {
    const ended = await this.sessions.revoke(tx, customer.id, sessionId, reason);
    return ended ? [sessionRevokedEvent(ended, customer, project, reason)] : [];
  }

  /**
   * Ends the least recently used sessions of a customer that exceed the limit after a new sign-in.
   * @param otherSessions number of active sessions besides the new one
   * @returns the events to record
   */
  async endSurplusSessions(
    tx: Tx,
    customer: Customer,
    project: ProjectContext,
    newSessionId: string,
    otherSessions: number,
  ): Promise<NewEvent[]> {
    const surplus = surplusSessionCount(otherSessions);
    if (surplus === 0) return [];
    const ended = await this.sessions.revokeOldest(tx, customer.id, 'session_limit', newSessionId, surplus);
    return ended.map((session) => sessionRevokedEvent(session, customer, project, 'session_limit'));
  }
}
