// This file contains SQL: a join on the hot path of sign-in, and a conditional change that returns a row.
import type { Customer } from '@gatehouse/domain';
import { customerColumns, customerRow } from '../customers/customers.repository.js';
import type { Database } from '../database.js';
import { ProjectEntity } from '../projects/project.entity.js';
import { bytea, neverNull, nullable, statement, text } from '../statements.js';
import type { Tx } from '../transactions.js';

/** The system from which the customers of a project move. */
export interface LegacySystem {
  url: string;
  /** Encrypted. */
  secret: Buffer;
}

/**
 * SQL for whether an import has created the customer `c` without a password, and neither a password nor a proof of the
 * address has been added since. Only `claimed_at` shows a password that was removed.
 */
const AWAITS_PASSWORD = 'c.imported AND c.password_hash IS NULL AND c.claimed_at IS NULL';

const findSystem = statement(
  { url: nullable(text), secret: neverNull(bytea) },
  `SELECT p.settings -> 'legacySignIn' ->> 'url' AS url, p.legacy_sign_in_secret AS secret
   FROM projects p LEFT JOIN customers c ON c.project_id = p.id AND c.email = $2
   WHERE p.id = $1 AND p.legacy_sign_in_secret IS NOT NULL AND (c.id IS NULL OR (${AWAITS_PASSWORD}))`,
);

const setPassword = statement(
  customerRow,
  `UPDATE customers c SET password_hash = $3, updated_at = now()
   WHERE c.project_id = $1 AND c.email = $2 AND ${AWAITS_PASSWORD} RETURNING ${customerColumns}`,
);

/** The systems from which customers move to projects at their first sign-in, and the customers who can move. */
export class LegacySignInRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the system that knows the password of an address. Returns null if the project has none, and if a customer
   * has the address, unless an import created them without a password and they have never had one.
   */
  async findSystem(projectId: string, email: string): Promise<LegacySystem | null> {
    const [row] = await this.database.execute(findSystem, [projectId, email]);
    return row?.url ? { url: row.url, secret: row.secret } : null;
  }

  /** Sets the password of an imported customer who has never had one. Returns null if no such customer has the email. */
  async setPassword(
    tx: Tx,
    projectId: string,
    email: string,
    passwordHash: string,
  ): Promise<Customer | null> {
    const [row] = await tx.execute(setPassword, [projectId, email, passwordHash]);
    return row ?? null;
  }

  /** Replaces the secret of a project that the transaction has locked; null deletes it. */
  async setSecret(tx: Tx, projectId: string, secret: Buffer | null): Promise<void> {
    await tx.manager.update(ProjectEntity, { id: projectId }, { legacySignInSecret: secret });
  }
}
