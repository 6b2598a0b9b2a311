// Raw SQL: conditional updates that return rows, joins, aggregates, and times from the database clock.
import type { Customer, OneTimeTokenKind, OneTimeTokenState, ProjectContext } from '@gatehouse/domain';
import {
  customerWithProjectColumns,
  customerWithProjectRow,
  toCustomerWithProject,
} from '../customers/customers.repository.js';
import type { Database, Sql } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { boolean, nullable, statement, text, textOf, timestamptz, uuid } from '../sql/statements.js';

export interface NewOneTimeToken {
  id: string;
  customerId: string;
  kind: OneTimeTokenKind;
  /** The email address that the token was sent to. */
  email: string;
  tokenHash: Buffer;
  /** Destination for "Continue" on the hosted page, or null. */
  redirectUrl: string | null;
  /** Id that is shared by tokens that take effect only together, or null. */
  groupId: string | null;
  /** Validity in seconds. */
  ttl: number;
}

/** A token with its customer and project. */
export interface OneTimeToken {
  id: string;
  kind: OneTimeTokenKind;
  email: string;
  redirectUrl: string | null;
  groupId: string | null;
  createdAt: Date;
  state: OneTimeTokenState;
  /** True if the token was consumed within the last minute. */
  isJustConsumed: boolean;
  /** True if the email address's owner has claimed the account since the token was created. */
  isClaimed: boolean;
  customer: Customer;
  /** Browser and operating system that the customer registered with, or null. */
  registrationDevice: string | null;
  project: ProjectContext;
}

/** SQL for the state of token `t`, which belongs to customer `c` in project `p`. */
export const tokenState = `
    CASE
      WHEN t.voided_at IS NOT NULL OR p.archived_at IS NOT NULL OR c.disabled_at IS NOT NULL THEN 'voided'
      WHEN t.email <> c.email AND (t.kind NOT LIKE 'change-email-%'
        OR t.kind = 'change-email-current' AND t.consumed_at IS NULL) THEN 'voided'
      WHEN t.expires_at <= now() THEN 'expired'
      WHEN t.consumed_at IS NOT NULL THEN 'consumed'
      ELSE 'live'
    END`;

const voidTokens = statement(
  {},
  `UPDATE one_time_tokens SET voided_at = now()
   WHERE customer_id = $1 AND kind = ANY($2) AND consumed_at IS NULL AND voided_at IS NULL`,
);

const insertToken = statement(
  {},
  `INSERT INTO one_time_tokens (id, customer_id, kind, email, token_hash, redirect_url, group_id, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 second')`,
);

const findToken = statement(
  {
    tokenId: uuid,
    kind: textOf<OneTimeTokenKind>(),
    tokenEmail: text,
    redirectUrl: nullable(text),
    groupId: nullable(uuid),
    tokenCreatedAt: timestamptz,
    state: textOf<OneTimeTokenState>(),
    isJustConsumed: boolean,
    isClaimed: boolean,
    registrationDevice: nullable(text),
    ...customerWithProjectRow,
  },
  `SELECT t.id AS "tokenId", t.kind, t.email AS "tokenEmail", t.redirect_url AS "redirectUrl", t.group_id AS "groupId",
     t.created_at AS "tokenCreatedAt", ${tokenState} AS state,
     coalesce(t.consumed_at > now() - interval '1 minute', false) AS "isJustConsumed",
     coalesce(c.claimed_at >= t.created_at, false) AS "isClaimed", c.registration_device AS "registrationDevice",
     ${customerWithProjectColumns}
   FROM one_time_tokens t JOIN customers c ON c.id = t.customer_id
     JOIN projects p ON p.id = c.project_id JOIN organizations o ON o.id = p.organization_id
   WHERE t.kind = ANY($1) AND t.token_hash = $2`,
);

const hasRecentToken = statement(
  { exists: boolean },
  `SELECT EXISTS (SELECT FROM one_time_tokens
     WHERE customer_id = $1 AND kind = $2 AND consumed_at IS NULL AND voided_at IS NULL AND expires_at > now()
       AND created_at > now() - $3 * interval '1 second') AS exists`,
);

const consumeToken = statement(
  { id: uuid },
  `UPDATE one_time_tokens SET consumed_at = now()
   WHERE id = $1 AND consumed_at IS NULL AND voided_at IS NULL AND expires_at > now() RETURNING id`,
);

const findGroupStatus = statement(
  { newEmail: text, isComplete: boolean },
  `SELECT max(email) FILTER (WHERE kind = 'change-email-new') AS "newEmail",
     bool_and(consumed_at IS NOT NULL) AS "isComplete"
   FROM one_time_tokens WHERE group_id = $1`,
);

const pruneTokens = pruneStatement('one_time_tokens', `expires_at < now() - $1 * interval '1 day'`);

export class OneTimeTokensRepository {
  constructor(private readonly database: Database) {}

  /** Inserts a token, and voids the customer's older tokens of the same kind. */
  async insert(tx: Tx, token: NewOneTimeToken): Promise<void> {
    await this.voidAll(tx, token.customerId, [token.kind]);
    await tx.execute(insertToken, [
      token.id,
      token.customerId,
      token.kind,
      token.email,
      token.tokenHash,
      token.redirectUrl,
      token.groupId,
      token.ttl,
    ]);
  }

  /** Voids a customer's unused tokens of the given kinds. */
  async voidAll(tx: Tx, customerId: string, kinds: readonly OneTimeTokenKind[]): Promise<void> {
    await tx.execute(voidTokens, [customerId, kinds]);
  }

  /** Returns a token with one of the given kinds, in any state, or null. */
  async find(
    kinds: readonly OneTimeTokenKind[],
    tokenHash: Buffer,
    sql: Sql = this.database,
  ): Promise<OneTimeToken | null> {
    const [row] = await sql.execute(findToken, [kinds, tokenHash]);
    if (!row) return null;
    const { tokenId, kind, tokenEmail, redirectUrl, groupId, tokenCreatedAt, ...rest } = row;
    const { state, isJustConsumed, isClaimed, registrationDevice, ...columns } = rest;
    const token = { id: tokenId, kind, email: tokenEmail, redirectUrl, groupId, createdAt: tokenCreatedAt };
    const status = { state, isJustConsumed, isClaimed, registrationDevice };
    return { ...token, ...status, ...toCustomerWithProject(columns) };
  }

  /** Returns whether a customer has an open token that was created in the last `seconds` seconds. */
  async hasRecent(customerId: string, kind: OneTimeTokenKind, seconds: number): Promise<boolean> {
    const [row] = await this.database.execute(hasRecentToken, [customerId, kind, seconds]);
    return row!.exists;
  }

  /** Consumes an open token. If calls run in parallel, exactly one returns true. */
  async consume(tx: Tx, id: string): Promise<boolean> {
    const rows = await tx.execute(consumeToken, [id]);
    return rows.length > 0;
  }

  /** Returns the new email address that a token group confirms, and whether all its tokens are consumed. */
  async getGroupStatus(
    groupId: string,
    sql: Sql = this.database,
  ): Promise<{ newEmail: string; isComplete: boolean }> {
    const [row] = await sql.execute(findGroupStatus, [groupId]);
    return row!;
  }

  /** Removes tokens that expired more than `days` ago. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneTokens, [days]);
  }
}
