import { effectiveSettings, type ProjectSettings } from '#domain';
import type { Database, Sql } from '../database.js';
import type { Tx } from '../transactions.js';

export type OneTimeTokenKind = 'verify-email';

export interface NewOneTimeToken {
  id: string;
  customerId: string;
  kind: OneTimeTokenKind;
  /** The address the token was sent to. */
  email: string;
  tokenHash: Buffer;
  /** Where the hosted page's "Continue" leads, or null. */
  redirectUrl: string | null;
  /** Seconds. */
  ttl: number;
}

/** A token that is neither expired nor voided; `consumedAt` tells whether it has taken effect. */
export interface OneTimeToken {
  id: string;
  customerId: string;
  email: string;
  redirectUrl: string | null;
  createdAt: Date;
  consumedAt: Date | null;
  projectId: string;
  projectName: string;
  organizationId: string;
  settings: ProjectSettings;
}

const tokenSelect = `
  SELECT t.id, t.customer_id AS "customerId", t.email, t.redirect_url AS "redirectUrl", t.created_at AS "createdAt",
    t.consumed_at AS "consumedAt", p.id AS "projectId", p.name AS "projectName", p.organization_id AS "organizationId",
    p.settings
  FROM one_time_tokens t JOIN customers c ON c.id = t.customer_id JOIN projects p ON p.id = c.project_id
  WHERE t.kind = $1 AND t.token_hash = $2 AND t.voided_at IS NULL AND t.expires_at > now()`;

export class OneTimeTokensRepository {
  constructor(private readonly database: Database) {}

  /** Inserts a token and voids the older ones of its kind. */
  async insert(tx: Tx, token: NewOneTimeToken): Promise<void> {
    await tx.prepared(
      `WITH older AS (
         UPDATE one_time_tokens SET voided_at = now()
         WHERE customer_id = $2 AND kind = $3 AND consumed_at IS NULL AND voided_at IS NULL
       )
       INSERT INTO one_time_tokens (id, customer_id, kind, email, token_hash, redirect_url, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 second')`,
      [token.id, token.customerId, token.kind, token.email, token.tokenHash, token.redirectUrl, token.ttl],
    );
  }

  async find(
    kind: OneTimeTokenKind,
    tokenHash: Buffer,
    sql: Sql = this.database,
  ): Promise<OneTimeToken | null> {
    const [row] = await sql.prepared<OneTimeToken>(tokenSelect, [kind, tokenHash]);
    return row ? { ...row, settings: effectiveSettings(row.settings) } : null;
  }

  /** Spends a token; true for exactly one of any number of parallel callers. */
  async consume(tx: Tx, id: string): Promise<boolean> {
    const rows = await tx.prepared(
      `UPDATE one_time_tokens SET consumed_at = now()
       WHERE id = $1 AND consumed_at IS NULL AND voided_at IS NULL RETURNING id`,
      [id],
    );
    return rows.length > 0;
  }
}
