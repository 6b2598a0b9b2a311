import type { Database } from '../database.js';

/** Who an organization is at the billing provider. */
export interface BillingCustomer {
  /** Under this key the customer is created once, however often and from wherever it is asked for. */
  creationKey: string;
  /** The provider's own id; null as long as none is known. */
  customerId: string | null;
}

const columns = 'creation_key AS "creationKey", customer_id AS "customerId"';

/**
 * What is remembered about billing customers. Every statement commits by itself, also within a request whose
 * transactions commit as one: what exists at the provider stays there whatever becomes of the request.
 */
export class BillingCustomersRepository {
  constructor(private readonly database: Database) {}

  /** Of an organization that the caller may act for. */
  async findOrCreate(organizationId: string): Promise<BillingCustomer> {
    const [known] = await this.database.queryPrepared<BillingCustomer>(
      `SELECT ${columns} FROM billing_customers WHERE organization_id = $1`,
      [organizationId],
    );
    if (known) return known;
    const [made] = await this.database.queryPrepared<BillingCustomer>(
      // Of two at the same time the second one finds what the first one has made: DO NOTHING would return no row.
      `INSERT INTO billing_customers AS b (organization_id) VALUES ($1)
       ON CONFLICT (organization_id) DO UPDATE SET creation_key = b.creation_key RETURNING ${columns}`,
      [organizationId],
    );
    return made!;
  }

  /** Keeps the first customer that anybody reports. @returns the one that is kept */
  async saveCustomerId(organizationId: string, customerId: string): Promise<string> {
    const [row] = await this.database.queryPrepared<{ customerId: string }>(
      `UPDATE billing_customers SET customer_id = coalesce(customer_id, $2)
       WHERE organization_id = $1 RETURNING customer_id AS "customerId"`,
      [organizationId, customerId],
    );
    return row!.customerId;
  }

  /** Forgets a customer, or a creation that failed for good, unless somebody else has moved on from it already. */
  async reset(organizationId: string, seen: BillingCustomer): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE billing_customers SET customer_id = NULL, creation_key = gen_random_uuid()
       WHERE organization_id = $1 AND creation_key = $2 AND customer_id IS NOT DISTINCT FROM $3`,
      [organizationId, seen.creationKey, seen.customerId],
    );
  }
}
