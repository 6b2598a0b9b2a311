// Raw SQL: the sign-up hot path, multi-row inserts, and inserts that return the new rows.
import {
  changeableFields,
  customerFieldNames,
  type ChangeableCustomer,
  type Customer,
} from '@gatehouse/domain';
import { CustomerEntity } from '../customers/customer.entity.js';
import {
  customerColumns,
  customerRow,
  type CustomerWithPasswordHash,
} from '../customers/customers.repository.js';
import type { Tx } from '../database/transactions.js';
import type { ImportedIdentity, NewIdentity } from '../identity-providers/identities.repository.js';
import { columnList, recordColumns } from '../sql/entity-columns.js';
import { statement, uuid } from '../sql/statements.js';

export interface NewCustomer extends ChangeableCustomer {
  id: string;
  passwordHash: string | null;
  /** Browser and operating system used to sign up, or null. */
  registrationDevice: string | null;
  /** True for a customer whom legacy sign-in migrates from another system. */
  imported: boolean;
}

const insertedFields = ['id', 'passwordHash', 'registrationDevice', 'imported', ...changeableFields] as const;
const insertedValues = insertedFields.map((_, index) => `$${index + 2}`).join(', ');

const insertCustomer = statement(
  customerRow,
  `INSERT INTO customers AS c (project_id, ${columnList(CustomerEntity, insertedFields)})
   VALUES ($1, ${insertedValues})
   ON CONFLICT DO NOTHING RETURNING ${customerColumns}`,
);

/** The fields that an import sets. The project id is a separate parameter. */
const importedFields = [
  ...customerFieldNames.filter((name) => name !== 'projectId'),
  'passwordHash',
] as const;

const insertCustomers = statement(
  { id: uuid },
  `INSERT INTO customers (project_id, organization_id, imported, import_updated_at,
     ${columnList(CustomerEntity, importedFields)})
   SELECT $1, (SELECT organization_id FROM projects WHERE id = $1), true, c."updatedAt", c.*
   FROM json_to_recordset($2::json) AS c (${recordColumns(CustomerEntity, importedFields)})
   -- A fixed order prevents deadlocks between imports of the same customers.
   ORDER BY c.email
   ON CONFLICT DO NOTHING RETURNING id`,
);

const insertIdentity = statement(
  { id: uuid },
  `INSERT INTO identities (id, project_id, provider_id, customer_id, subject, email, is_pending, last_used_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, now()) ON CONFLICT (provider_id, subject) DO NOTHING RETURNING id`,
);

const insertIdentities = statement(
  { id: uuid },
  `INSERT INTO identities (id, project_id, provider_id, customer_id, subject)
   SELECT d.id, $1, i.id, d."customerId", d.subject
   FROM json_to_recordset($2::json) AS d (id uuid, provider text, subject text, "customerId" uuid)
     JOIN identity_providers i ON i.project_id = $1 AND i.slug = d.provider
   -- A fixed order prevents deadlocks between imports of the same identities.
   ORDER BY i.id, d.subject
   ON CONFLICT (provider_id, subject) DO NOTHING RETURNING id`,
);

/**
 * Inserts customers and their identities. Only `apps/api/src/accounts` may use this class
 * (docs/adr/0109-one-service-for-accounts.md).
 */
export class AccountsRepository {
  /** Inserts a customer, or returns null if the email or the external id is taken. */
  async insert(tx: Tx, projectId: string, customer: NewCustomer): Promise<Customer | null> {
    const [row] = await tx.execute(insertCustomer, [
      projectId,
      ...insertedFields.map((field) => customer[field]),
    ]);
    return row ?? null;
  }

  /**
   * Inserts customers with all their fields into one project. Skips customers whose email or external id is taken,
   * including by another customer in the same call.
   * @returns the ids of the inserted customers
   */
  async insertAll(tx: Tx, projectId: string, customers: CustomerWithPasswordHash[]): Promise<Set<string>> {
    const rows = await tx.execute(insertCustomers, [projectId, JSON.stringify(customers)]);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Links an identity to a customer that the transaction has locked. Returns false if the identity is already linked.
   */
  async link(tx: Tx, identity: NewIdentity): Promise<boolean> {
    const { id, projectId, providerId, customerId, subject, email, isPending } = identity;
    const values = [id, projectId, providerId, customerId, subject, email, isPending];
    const rows = await tx.execute(insertIdentity, values);
    return rows.length > 0;
  }

  /**
   * Links identities to customers that the transaction has inserted. The transaction has also locked the identity
   * providers. Returns false if an identity is already linked.
   */
  async linkAll(tx: Tx, projectId: string, identities: ImportedIdentity[]): Promise<boolean> {
    const rows = await tx.execute(insertIdentities, [projectId, JSON.stringify(identities)]);
    return rows.length === identities.length;
  }
}
