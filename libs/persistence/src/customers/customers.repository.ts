import type { Customer } from '#domain';
import type { Database, Sql } from '../database.js';
import type { Tx } from '../transactions.js';

/** The columns of a customer under the names of `Customer`, for a table aliased `c`. */
export const customerColumns = `
  c.id, c.project_id AS "projectId", c.external_id AS "externalId", c.email, c.first_name AS "firstName",
  c.last_name AS "lastName", c.email_verified AS "emailVerified", c.metadata, c.public_metadata AS "publicMetadata",
  c.disabled_at AS "disabledAt", c.created_at AS "createdAt", c.updated_at AS "updatedAt",
  c.last_login_at AS "lastLoginAt"`;

export interface NewCustomer {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  passwordHash: string;
}

export interface CustomerWithHash extends Customer {
  passwordHash: string | null;
}

export class CustomersRepository {
  constructor(private readonly database: Database) {}

  /** Inserts a customer, or returns null when the e-mail is taken. */
  async insert(tx: Tx, projectId: string, customer: NewCustomer): Promise<Customer | null> {
    const [row] = await tx.prepared<Customer>(
      `INSERT INTO customers AS c (id, project_id, email, first_name, last_name, password_hash)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (project_id, email) DO NOTHING RETURNING ${customerColumns}`,
      [customer.id, projectId, customer.email, customer.firstName, customer.lastName, customer.passwordHash],
    );
    return row ?? null;
  }

  async findByEmail(projectId: string, email: string): Promise<CustomerWithHash | null> {
    const [row] = await this.database.prepared<CustomerWithHash>(
      `SELECT ${customerColumns}, c.password_hash AS "passwordHash" FROM customers c
       WHERE c.project_id = $1 AND c.email = $2`,
      [projectId, email],
    );
    return row ?? null;
  }

  /** Notes a login and, when `newHash` is given, replaces exactly the hash that was just verified. */
  async recordLogin(
    tx: Tx,
    projectId: string,
    id: string,
    hash: { old: string; new: string | null },
  ): Promise<Customer | null> {
    const [row] = await tx.prepared<Customer>(
      `UPDATE customers c SET last_login_at = now(), password_hash = coalesce($4, password_hash)
       WHERE c.project_id = $1 AND c.id = $2 AND c.password_hash = $3 AND c.disabled_at IS NULL
       RETURNING ${customerColumns}`,
      [projectId, id, hash.old, hash.new],
    );
    return row ?? null;
  }

  /** Whether a `login.failed` event is due: at most one a minute for each customer. */
  async claimLoginFailedEvent(tx: Tx, projectId: string, id: string): Promise<boolean> {
    const rows = await tx.prepared(
      `UPDATE customers SET login_failed_event_at = now()
       WHERE project_id = $1 AND id = $2
         AND (login_failed_event_at IS NULL OR login_failed_event_at < now() - interval '1 minute') RETURNING id`,
      [projectId, id],
    );
    return rows.length > 0;
  }

  /** Marks the address as verified if it still is the customer's; null when it is not. */
  async markVerified(tx: Tx, id: string, email: string): Promise<Customer | null> {
    const [row] = await tx.prepared<Customer>(
      `UPDATE customers c SET email_verified = true, updated_at = now()
       WHERE c.id = $1 AND c.email = $2 RETURNING ${customerColumns}`,
      [id, email],
    );
    return row ?? null;
  }

  /** A customer by an id that came out of a token of ours, never out of a request. */
  async findByTokenSubject(sql: Sql, id: string): Promise<Customer | null> {
    const [row] = await sql.prepared<Customer>(`SELECT ${customerColumns} FROM customers c WHERE c.id = $1`, [
      id,
    ]);
    return row ?? null;
  }
}
