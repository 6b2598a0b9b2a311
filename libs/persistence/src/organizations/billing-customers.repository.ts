// Raw SQL: an upsert, and writes outside a transaction.
import type { Database } from '../database/database.js';
import { nullable, statement, text, uuid, type RowOf } from '../sql/statements.js';
import { BillingCustomerEntity } from './billing-customer.entity.js';

const billingCustomerRow = {
  /** Idempotency key with which the provider creates the customer only once, even if several processes request it. */
  creationKey: uuid,
  /** The customer's id at the provider; null until the customer is created. */
  customerId: nullable(text),
};

/** An organization's customer at the billing provider. */
export type BillingCustomer = RowOf<typeof billingCustomerRow>;

/** If two inserts run concurrently, the second returns the first one's row. DO NOTHING would return no row. */
const insertOrFindCustomer = statement(
  billingCustomerRow,
  `INSERT INTO billing_customers AS b (organization_id) VALUES ($1)
   ON CONFLICT (organization_id) DO UPDATE SET creation_key = b.creation_key
   RETURNING creation_key AS "creationKey", customer_id AS "customerId"`,
);

const saveCustomerId = statement(
  { customerId: nullable(text) },
  `UPDATE billing_customers SET customer_id = coalesce(customer_id, $2)
   WHERE organization_id = $1 RETURNING customer_id AS "customerId"`,
);

const resetCustomer = statement(
  {},
  `UPDATE billing_customers SET customer_id = NULL, creation_key = gen_random_uuid()
   WHERE organization_id = $1 AND creation_key = $2 AND customer_id IS NOT DISTINCT FROM $3`,
);

/**
 * Stored billing customers. Every statement commits on its own, even in a request whose transactions commit together,
 * because a customer that was created at the provider remains there if the request fails.
 */
export class BillingCustomersRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns an organization's billing customer, and creates the row if there is none. The caller must have checked
   * access to the organization.
   */
  async findOrCreate(organizationId: string): Promise<BillingCustomer> {
    const existing = await this.database.read((manager) =>
      manager.findOneBy(BillingCustomerEntity, { organizationId }),
    );
    if (existing) return existing;
    const [created] = await this.database.execute(insertOrFindCustomer, [organizationId]);
    return created!;
  }

  /** Saves the customer id unless one is already saved. @returns the saved id */
  async saveCustomerId(organizationId: string, customerId: string): Promise<string> {
    const [row] = await this.database.execute(saveCustomerId, [organizationId, customerId]);
    return row!.customerId!;
  }

  /** Resets a customer, or a permanently failed creation, unless another process has already replaced it. */
  async reset(organizationId: string, { creationKey, customerId }: BillingCustomer): Promise<void> {
    await this.database.execute(resetCustomer, [organizationId, creationKey, customerId]);
  }
}
