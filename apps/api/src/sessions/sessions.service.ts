import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '#auth';
import { notFound, type Customer, type ProjectContext } from '#domain';
import {
  EventsRepository,
  ProjectsRepository,
  SessionsRepository,
  Transactions,
  type NewEvent,
  type SessionRecord,
  type Tx,
} from '#persistence';
import { customerEvent } from '../customers/customer-events.js';
import { SessionResponse } from './dto/session.response.js';

/** Why a session ended; part of the event. */
export type RevocationReason =
  'logout' | 'revoked' | 'password_changed' | 'password_reset' | 'customer_disabled' | 'reuse_detected';

export const logoutScopes = ['this', 'others', 'all'] as const;
export type LogoutScope = (typeof logoutScopes)[number];

/** Ends sessions. Every request looks at its session, so an end acts at once on every replica. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly projects: ProjectsRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
  ) {}

  /** A customer's live sessions, newest first. */
  list(customer: Customer, before: string | null, limit: number): Promise<SessionRecord[]> {
    return this.sessions.list(customer.projectId, customer.id, before, limit);
  }

  /** Ends the session that asks, the others, or all of them. */
  async logout({ customer, sessionId }: CustomerCaller, scope: LogoutScope): Promise<void> {
    const project = await this.projects.ofCustomer(customer.projectId);
    await this.transactions.run(async (tx) => {
      const events =
        scope === 'this'
          ? await this.endOne(tx, customer, project, sessionId, 'logout')
          : await this.endAll(tx, customer, project, 'logout', scope === 'others' ? sessionId : null);
      await this.events.record(tx, events);
    });
  }

  /** @throws GatehouseError `not_found` when the customer has no such live session */
  async revokeOwn(customer: Customer, sessionId: string): Promise<void> {
    await this.revoke(customer, await this.projects.ofCustomer(customer.projectId), sessionId);
  }

  /** @throws GatehouseError `not_found` when the customer has no such live session */
  async revoke(customer: Customer, project: ProjectContext, sessionId: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const events = await this.endOne(tx, customer, project, sessionId, 'revoked');
      if (events.length === 0) throw notFound();
      await this.events.record(tx, events);
    });
  }

  /** Ends every session of a customer. */
  async revokeAll(customer: Customer, project: ProjectContext): Promise<void> {
    await this.transactions.run(async (tx) => {
      await this.events.record(tx, await this.endAll(tx, customer, project, 'revoked'));
    });
  }

  /** Ends one session. @returns the event to record, none when it had ended already */
  async endOne(
    tx: Tx,
    customer: Customer,
    project: ProjectContext,
    sessionId: string,
    reason: RevocationReason,
  ): Promise<NewEvent[]> {
    const ended = await this.sessions.revoke(tx, customer.id, sessionId, reason);
    return ended ? [revokedEvent(ended, customer, project, reason)] : [];
  }

  /** Ends all sessions of a customer, except one if it is named. @returns the events to record */
  async endAll(
    tx: Tx,
    customer: Customer,
    project: ProjectContext,
    reason: RevocationReason,
    exceptId: string | null = null,
  ): Promise<NewEvent[]> {
    const ended = await this.sessions.revokeAll(tx, customer.id, reason, exceptId);
    return ended.map((session) => revokedEvent(session, customer, project, reason));
  }
}

const revokedEvent = (
  session: SessionRecord,
  customer: Customer,
  project: ProjectContext,
  reason: RevocationReason,
): NewEvent =>
  customerEvent('session.revoked', customer, project, { session: SessionResponse.from(session), reason });
