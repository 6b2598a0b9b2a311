import { notFound, type Reach } from '@gatehouse/domain';
import type { StoredMail } from '@gatehouse/platform';
import { countMatches, COUNT_CAP, COUNT_SCAN_LIMIT, type CappedCount } from '../capped-count.js';
import { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';

export interface NewMail extends StoredMail {
  /** Both null for an email to an operator. */
  projectId: string | null;
  customerId: string | null;
}

export interface Mail extends NewMail {
  /** Number of claims, including the current one. */
  attempts: number;
  createdAt: Date;
}

/** An email to a customer. */
export type ProjectMail = Mail & { projectId: string };

/** The filter of a mailbox. Null fields match every email. */
export interface MailFilter {
  projectId: string | null;
  /** Email address of the recipient, in canonical form. */
  email: string | null;
}

const columns = `
  m.id, m.project_id AS "projectId", m.customer_id AS "customerId", m.kind, m.recipient, m.parameters, m.tries AS attempts,
  m.created_at AS "createdAt"`;

/** Returns the conditions for readable emails to customers within a reach. */
const readableMails = (reach: Reach): Conditions =>
  new Conditions().addReach('p', 'm.project_id', reach).add('m.parameters IS NOT NULL');

export class MailsRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, mail: NewMail): Promise<void> {
    await tx.queryPrepared(
      `INSERT INTO mails (id, project_id, customer_id, kind, recipient, parameters) VALUES ($1, $2, $3, $4, $5, $6)`,
      [mail.id, mail.projectId, mail.customerId, mail.kind, mail.recipient, mail.parameters],
    );
  }

  /**
   * Claims due emails for ten minutes; a later claim takes over those of a worker that has died. The number
   * of attempts is the fence: only the holder of the newest claim can record the result.
   */
  async claimDue(limit: number): Promise<Mail[]> {
    return this.database.queryPrepared<Mail>(
      `UPDATE mails m SET tries = m.tries + 1, next_try_at = now() + interval '10 minutes'
       WHERE m.id IN (SELECT id FROM mails WHERE state = 'pending' AND next_try_at <= now()
                      ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING ${columns}`,
      [limit],
    );
  }

  async markSent(mail: Mail): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE mails SET state = 'sent', parameters = NULL, finished_at = now()
       WHERE id = $1 AND state = 'pending' AND tries = $2`,
      [mail.id, mail.attempts],
    );
  }

  /** For an installation without a mail server: the email stays readable. */
  async markCaptured(mail: Mail): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE mails SET state = 'kept', finished_at = now() WHERE id = $1 AND state = 'pending' AND tries = $2`,
      [mail.id, mail.attempts],
    );
  }

  /** Schedules a retry, or fails the email if its link is too old to send. */
  async retryOrFail(mail: Mail, delayMs: number, giveUpAfterMs: number): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE mails SET next_try_at = now() + $3 * interval '1 ms',
         state = CASE WHEN created_at < now() - $4 * interval '1 ms' THEN 'failed' ELSE state END,
         parameters = CASE WHEN created_at < now() - $4 * interval '1 ms' THEN NULL ELSE parameters END
       WHERE id = $1 AND state = 'pending' AND tries = $2`,
      [mail.id, mail.attempts, delayMs, giveUpAfterMs],
    );
  }

  /** Removes emails that were created more than `days` ago, unless they are pending. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    const condition = `state <> 'pending' AND created_at < now() - $1 * interval '1 day'`;
    await prune(this.database, signal, 'mails', condition, [days]);
  }

  /** Returns captured and pending emails to customers, newest first. */
  async list(
    reach: Reach,
    filter: MailFilter & { before: string | null },
    limit: number,
  ): Promise<ProjectMail[]> {
    const where = readableMails(reach)
      .addIf(filter.projectId, (value) => `m.project_id = ${value}`)
      .addIf(filter.email, (value) => `m.recipient = ${value}`)
      .addIf(filter.before, (value) => `m.id < ${value}`);
    return this.database.query<ProjectMail>(
      `SELECT ${columns} FROM mails m JOIN projects p ON p.id = m.project_id
       WHERE ${where.sql} ORDER BY m.id DESC LIMIT ${where.bind(limit)}`,
      where.values,
    );
  }

  /** Counts the emails of the same list in a bounded scan. */
  count(reach: Reach, { projectId, email }: MailFilter): Promise<CappedCount> {
    const where = readableMails(reach).addIf(projectId, (value) => `m.project_id = ${value}`);
    const window = email ? COUNT_SCAN_LIMIT : COUNT_CAP + 1;
    const rows = `(SELECT m.recipient FROM mails m JOIN projects p ON p.id = m.project_id
                   WHERE ${where.sql} ORDER BY m.id DESC LIMIT ${window}) m`;
    const isMatch = email ? `m.recipient = ${where.bind(email)}` : 'true';
    return countMatches(this.database, { rows, isMatch, values: where.values }, window);
  }

  /** Returns an email of the list. @throws GatehouseError `not_found` */
  async get(reach: Reach, id: string): Promise<ProjectMail> {
    const where = readableMails(reach);
    const [row] = await this.database.query<ProjectMail>(
      `SELECT ${columns} FROM mails m JOIN projects p ON p.id = m.project_id
       WHERE ${where.sql} AND m.id = ${where.bind(id)}`,
      where.values,
    );
    if (!row) throw notFound();
    return row;
  }
}
