// Raw SQL: claims that skip locked rows, updates that check a fencing token, and access scope conditions.
import { notFound, type MailReason, type AccessScope } from '@gatehouse/domain';
import { tracing, type MailKind, type StoredMail } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { cappedCount, COUNT_CAP, COUNT_SCAN_LIMIT, type CappedCount } from '../lists/capped-count.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import {
  bytea,
  dynamicStatement,
  integer,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';

export interface NewMail extends StoredMail {
  /** Null for an email to an operator. */
  projectId: string | null;
  /** Null for an email to an operator or to an address without a customer. */
  customerId: string | null;
}

/** An email to a customer that was not sent because it exceeded a limit. */
export interface DroppedMail {
  id: string;
  projectId: string;
  customerId: string;
  kind: MailKind;
  recipient: string;
  reason: MailReason;
}

export interface Mail extends NewMail {
  /** Number of claims, including the current one. */
  attempts: number;
  createdAt: Date;
}

/** An email that this worker has claimed. */
export interface ClaimedMail extends Mail {
  /** Trace context of the span that created the email. */
  traceparent: string | null;
}

/** An email to a customer. */
export type ProjectMail = Mail & { projectId: string };

/** A mailbox filter. Null fields match every email. */
export interface MailFilter {
  projectId: string | null;
  /** The recipient's email address, in canonical form. */
  email: string | null;
}

/** A page in the list of captured and pending emails. */
interface MailPage extends MailFilter {
  /** The previous page's last id, or null. */
  before: string | null;
}

const mailColumns = `
  m.id, m.customer_id AS "customerId", m.kind, m.recipient, m.parameters, m.tries AS attempts,
  m.created_at AS "createdAt"`;

const mailRow = {
  id: uuid,
  customerId: nullable(uuid),
  kind: textOf<MailKind>(),
  recipient: text,
  parameters: nullable(bytea),
  attempts: integer,
  createdAt: timestamptz,
};

/** Narrows the type of a pending or captured email, whose parameters are never null. */
const toMail = <Row extends { parameters: Buffer | null }>(row: Row): Row & { parameters: Buffer } => ({
  ...row,
  parameters: row.parameters!,
});

/**
 * Returns the conditions for emails that still have their content and were sent to customers within an access scope.
 */
const readableMails = (accessScope: AccessScope): Conditions =>
  new Conditions().addAccessScope('p', 'm.project_id', accessScope).add('m.parameters IS NOT NULL');

const insertMail = statement(
  {},
  `INSERT INTO mails (id, project_id, customer_id, kind, recipient, parameters, traceparent)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Inserts nothing if the customer has been deleted in the meantime. */
const insertDroppedMail = statement(
  {},
  `INSERT INTO mails (id, project_id, customer_id, kind, recipient, reason, state, finished_at)
   SELECT $1, c.project_id, c.id, $4, $5, $6, 'dropped', now()
   FROM (SELECT project_id, id FROM customers WHERE project_id = $2 AND id = $3 FOR KEY SHARE) c`,
);

/** Condition that an email must be sent now. */
export const isMailDue = `state = 'pending' AND next_try_at <= now()`;

const claimDueMails = statement(
  { ...mailRow, projectId: nullable(uuid), traceparent: nullable(text) },
  `UPDATE mails m SET tries = m.tries + 1, next_try_at = now() + interval '10 minutes'
   WHERE m.id IN (SELECT id FROM mails WHERE ${isMailDue}
                  ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING ${mailColumns}, m.project_id AS "projectId", m.traceparent`,
);

/** Condition that an email is pending and no later claim has taken it over. */
const isClaimed = `id = $1 AND state = 'pending' AND tries = $2`;

const markMailSent = statement(
  {},
  `UPDATE mails SET state = 'sent', parameters = NULL, response = NULL, finished_at = now() WHERE ${isClaimed}`,
);

const markMailCaptured = statement(
  {},
  `UPDATE mails SET state = 'kept', finished_at = now() WHERE ${isClaimed}`,
);

const retryMail = statement(
  {},
  `UPDATE mails SET next_try_at = now() + $3 * interval '1 ms', response = coalesce($4, response)
   WHERE ${isClaimed}`,
);

const failMail = statement(
  {},
  `UPDATE mails SET state = 'failed', parameters = NULL, finished_at = now(), reason = $3,
     response = coalesce($4, response)
   WHERE ${isClaimed}`,
);

const pruneMails = pruneStatement(
  'mails',
  `state <> 'pending' AND created_at < now() - $1 * interval '1 day'`,
);

const listMails = dynamicStatement(
  { ...mailRow, projectId: uuid },
  (accessScope: AccessScope, { projectId, email, before }: MailPage, limit: number) => {
    const where = readableMails(accessScope)
      .addIf(projectId, (value) => `m.project_id = ${value}`)
      .addIf(email, (value) => `m.recipient = ${value}`)
      .addIf(before, (value) => `m.id < ${value}`);
    const sql = `
      SELECT ${mailColumns}, p.id AS "projectId" FROM mails m JOIN projects p ON p.id = m.project_id
      WHERE ${where.sql} ORDER BY m.id DESC LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.flatMap((accessScope) => [
    [accessScope, { projectId: null, email: null, before: null }, 1] as const,
    [accessScope, { projectId: NIL_UUID, email: 'ada@example.com', before: NIL_UUID }, 1] as const,
  ]),
);

/** Returns the maximum number of emails that a count scans. */
const countWindow = (_accessScope: AccessScope, { email }: MailFilter): number =>
  email ? COUNT_SCAN_LIMIT : COUNT_CAP + 1;

const countMails = cappedCount(
  countWindow,
  (accessScope: AccessScope, filter: MailFilter) => {
    const { projectId, email } = filter;
    const where = readableMails(accessScope).addIf(projectId, (value) => `m.project_id = ${value}`);
    const rows = `(SELECT m.recipient FROM mails m JOIN projects p ON p.id = m.project_id
                   WHERE ${where.sql} ORDER BY m.id DESC LIMIT ${countWindow(accessScope, filter)}) m`;
    const isMatch = email ? `m.recipient = ${where.bind(email)}` : 'true';
    return { where, rows, isMatch };
  },
  sampleAccessScopes.flatMap((accessScope) => [
    [accessScope, { projectId: null, email: null }] as const,
    [accessScope, { projectId: NIL_UUID, email: 'ada@example.com' }] as const,
  ]),
);

const findMail = dynamicStatement(
  { ...mailRow, projectId: uuid },
  (accessScope: AccessScope, id: string) => {
    const where = readableMails(accessScope);
    const sql = `
      SELECT ${mailColumns}, p.id AS "projectId" FROM mails m JOIN projects p ON p.id = m.project_id
      WHERE ${where.sql} AND m.id = ${where.bind(id)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
);

/** Emails to send, and emails that were sent or captured. */
export class MailsRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, mail: NewMail): Promise<void> {
    const { id, projectId, customerId, kind, recipient, parameters } = mail;
    const values = [id, projectId, customerId, kind, recipient, parameters, tracing?.traceparent];
    await tx.execute(insertMail, values);
  }

  /** Adds a dropped email to the log. @param tx the transaction that creates the customer */
  async insertDropped(mail: DroppedMail, tx?: Tx): Promise<void> {
    const { id, projectId, customerId, kind, recipient, reason } = mail;
    const values = [id, projectId, customerId, kind, recipient, reason];
    await (tx ?? this.database).execute(insertDroppedMail, values);
  }

  /**
   * Claims due emails for ten minutes. If the worker dies, a later claim takes them over. The attempt count is the
   * fencing token: only the holder of the newest claim can record the result.
   */
  async claimDue(limit: number): Promise<ClaimedMail[]> {
    const rows = await this.database.execute(claimDueMails, [limit]);
    return rows.map(toMail);
  }

  async markSent({ id, attempts }: Mail): Promise<void> {
    await this.database.execute(markMailSent, [id, attempts]);
  }

  /** Marks an email as captured, for an installation without a mail server. Its parameters are kept. */
  async markCaptured({ id, attempts }: Mail): Promise<void> {
    await this.database.execute(markMailCaptured, [id, attempts]);
  }

  /** Schedules another attempt. @param response mail server response, or null to keep the previous one */
  async retry({ id, attempts }: Mail, delayMs: number, response: string | null): Promise<void> {
    await this.database.execute(retryMail, [id, attempts, delayMs, response]);
  }

  /** Marks an email as failed. @param response mail server response, or null to keep the previous one */
  async fail(
    { id, attempts }: Mail,
    reason: Extract<MailReason, 'rejected' | 'expired'>,
    response: string | null,
  ): Promise<void> {
    await this.database.execute(failMail, [id, attempts, reason, response]);
  }

  /** Removes emails that were created more than `days` ago, unless they are pending. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneMails, [days]);
  }

  /** Returns captured and pending emails to customers, newest first. */
  async list(accessScope: AccessScope, page: MailPage, limit: number): Promise<ProjectMail[]> {
    const rows = await this.database.execute(listMails(accessScope, page, limit));
    return rows.map(toMail);
  }

  /** Counts captured and pending emails to customers in a bounded scan. */
  count(accessScope: AccessScope, filter: MailFilter): Promise<CappedCount> {
    return countMails(this.database, accessScope, filter);
  }

  /** Returns a captured or pending email to a customer. @throws GatehouseError `not_found` */
  async get(accessScope: AccessScope, id: string): Promise<ProjectMail> {
    const [row] = await this.database.execute(findMail(accessScope, id));
    if (!row) throw notFound();
    return toMail(row);
  }
}
