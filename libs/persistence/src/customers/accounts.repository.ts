// This file contains SQL: the hot path of sign-up, and inserts that return what they have inserted.
import { changeableFields, type ChangeableCustomer, type Customer } from '@gatehouse/domain';
import { columnList } from '../entity-columns.js';
import { statement, uuid } from '../statements.js';
import type { Tx } from '../transactions.js';
import type { NewIdentity } from '../identity-providers/identities.repository.js';
import { CustomerEntity } from './customer.entity.js';
import { customerColumns, customerRow } from './customers.repository.js';

export interface NewCustomer extends ChangeableCustomer {
  id: string;
  passwordHash: string | null;
  /** Browser and operating system with which the customer registered, or null. */
  registrationDevice: string | null;
}

const insertedFields = ['id', 'passwordHash', 'registrationDevice', ...changeableFields] as const;
const insertedValues = insertedFields.map((_, index) => `$${index + 2}`).join(', ');

const insertCustomer = statement(
  customerRow,
  `INSERT INTO customers AS c (project_id, ${columnList(CustomerEntity, insertedFields)})
   VALUES ($1, ${insertedValues})
   ON CONFLICT DO NOTHING RETURNING ${customerColumns}`,
);

const insertIdentity = statement(
  { id: uuid },
  `INSERT INTO identities (id, project_id, provider_id, customer_id, subject, email, is_pending, last_used_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, now()) ON CONFLICT (provider_id, subject) DO NOTHING RETURNING id`,
);

/** Inserts customers and their identities. Only `apps/api/src/accounts` may use it (docs/adr/0109-one-door-for-accounts.md). */
export class AccountsRepository {
  /** Inserts a customer, or returns null if the email or the external id is taken. */
  async insert(tx: Tx, projectId: string, customer: NewCustomer): Promise<Customer | null> {
    const [row] = await tx.execute(insertCustomer, [
      projectId,
      ...insertedFields.map((field) => customer[field]),
    ]);
    return row ?? null;
  }

  /** Links a person to a customer whom the transaction has locked. Returns false if the person is already linked. */
  async link(tx: Tx, identity: NewIdentity): Promise<boolean> {
    const { id, projectId, providerId, customerId, subject, email, isPending } = identity;
    const values = [id, projectId, providerId, customerId, subject, email, isPending];
    const rows = await tx.execute(insertIdentity, values);
    return rows.length > 0;
  }
}
