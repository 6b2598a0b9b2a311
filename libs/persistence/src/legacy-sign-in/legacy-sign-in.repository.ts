// Raw SQL: a join on the sign-in hot path, and a conditional update that returns the row.
import type { Customer } from '@gatehouse/domain';
import { customerColumns, customerRow } from '../customers/customers.repository.js';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { ProjectEntity } from '../projects/project.entity.js';
import { boolean, bytea, neverNull, nullable, statement, text } from '../sql/statements.js';
import { unknownToPlanner } from '../sql/unknown-to-planner.js';

/** The system from which a project's customers move. */
export interface LegacySystem {
  url: string;
  /** Encrypted. */
  secret: Buffer;
  /** True if an import has created a customer with the email address. */
  isImported: boolean;
}

/**
 * SQL for the condition that an import has created the customer `c`, who has neither set a password nor proven
 * ownership of the email address since. The password hash is null, or still the hash from the previous system (`i1$`,
 * docs/adr/0010). If a password was set and later removed, only `claimed_at` indicates this.
 */
const CAN_MIGRATE = `(c.imported AND c.claimed_at IS NULL
  AND (c.password_hash IS NULL OR starts_with(c.password_hash, 'i1$')))`;

const findSystem = statement(
  { url: nullable(text), secret: neverNull(bytea), isImported: boolean },
  `SELECT p.settings -> 'legacySignIn' ->> 'url' AS url, p.legacy_sign_in_secret AS secret, c.id IS NOT NULL AS "isImported"
   FROM projects p LEFT JOIN customers c ON c.project_id = ${unknownToPlanner('$1')} AND c.email = $2
   WHERE p.id = $1 AND p.legacy_sign_in_secret IS NOT NULL AND (c.id IS NULL OR ${CAN_MIGRATE})`,
);

const setPassword = statement(
  customerRow,
  `UPDATE customers c SET password_hash = $3, updated_at = now()
   WHERE c.project_id = ${unknownToPlanner('$1')} AND c.email = $2 AND ${CAN_MIGRATE} RETURNING ${customerColumns}`,
);

/** The systems from which customers move to projects at their first sign-in, and the customers who can move. */
export class LegacySignInRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the system that knows the password for an email address. Returns null if the project has no previous
   * system. Also returns null if the address belongs to a customer, except an imported customer who has never set a
   * password here.
   */
  async findSystem(projectId: string, email: string): Promise<LegacySystem | null> {
    const [row] = await this.database.execute(findSystem, [projectId, email]);
    return row?.url ? { ...row, url: row.url } : null;
  }

  /**
   * Sets the password for an imported customer who has never set one here. Returns null if no such customer has the
   * email.
   */
  async setPassword(
    tx: Tx,
    projectId: string,
    email: string,
    passwordHash: string,
  ): Promise<Customer | null> {
    const [row] = await tx.execute(setPassword, [projectId, email, passwordHash]);
    return row ?? null;
  }

  /** Replaces the secret in a project that the transaction has locked; null deletes it. */
  async setSecret(tx: Tx, projectId: string, secret: Buffer | null): Promise<void> {
    await tx.manager.update(ProjectEntity, { id: projectId }, { legacySignInSecret: secret });
  }
}
