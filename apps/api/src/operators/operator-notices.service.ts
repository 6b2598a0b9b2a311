import { Injectable } from '@nestjs/common';
import type { OperatorCaller } from '@gatehouse/auth';
import type { Operator } from '@gatehouse/domain';
import { OperatorsRepository, type Tx } from '@gatehouse/persistence';
import type { AdminAction, OperatorNotice, AccountAction } from '@gatehouse/platform';
import type { Client } from '../http/request-context.js';
import { SystemMailsService } from '../mail/system-mails.service.js';

/** The admin who acts, and the request's client. */
export interface ActingAdmin {
  caller: OperatorCaller;
  client: Client;
}

/** The actor as described in emails and audit entries. */
export interface NoticeActor {
  caller: Pick<OperatorCaller, 'email'> & Partial<Pick<OperatorCaller, 'operatorId'>>;
  client: { ip: string | null };
  /** Cause of a change that no operator has requested, for the audit log. */
  cause?: string;
}

/** The actor for `npm run gatehouse -- operator-link`. Its `email` becomes the subject of a sentence in the notice. */
export const commandActor: NoticeActor = {
  caller: { email: 'The operator-link command' },
  client: { ip: null },
};

/** Notifies operators by email about access changes and sign-ins (requirement OP-01). */
@Injectable()
export class OperatorNoticesService {
  constructor(
    private readonly mails: SystemMailsService,
    private readonly operators: OperatorsRepository,
  ) {}

  /** Notifies an operator about an action on their own account. */
  async notifyOwner(
    tx: Tx,
    action: AccountAction,
    { email }: Pick<Operator, 'email'>,
    { ip }: Client,
  ): Promise<void> {
    await this.send(tx, [email], { action, actor: email, target: email, ip });
  }

  /**
   * Notifies the operator concerned and all admins who are not limited to organizations. The actor is included, because
   * the session may be stolen. A new operator receives the invitation instead.
   */
  async notifyAdmins(
    tx: Tx,
    action: AdminAction,
    { caller, client }: NoticeActor,
    { email: target }: Operator,
    details: Pick<OperatorNotice, 'role' | 'previousRole' | 'organizationCount'> = {},
  ): Promise<void> {
    if (!this.mails.isEnabled) return;
    const admins = await this.operators.listAdminEmails(tx);
    const recipients = action === 'invited' ? admins : [...admins, target];
    await this.send(tx, recipients, { action, actor: caller.email, target, ip: client.ip, ...details });
  }

  private async send(tx: Tx, recipients: string[], notice: OperatorNotice): Promise<void> {
    if (!this.mails.isEnabled) return;
    for (const recipient of new Set(recipients))
      await this.mails.create(tx, 'operator-notice', recipient, { notice });
  }
}
