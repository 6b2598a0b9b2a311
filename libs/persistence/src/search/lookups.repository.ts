// Raw SQL: conditions that match indexes with a collation, and lookups of attempts and deliveries.
import type { AccessScope } from '@gatehouse/domain';
import { anyCustomerCondition } from '../customers/customer-scan.js';
import type { Database } from '../database/database.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import { dynamicStatement, statement, uuid } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { endpointNameCondition, urlPrefixCondition } from '../webhooks/endpoint-conditions.js';

/** Maximum number of customers found by an email address, each in a different project. */
const MAX_CUSTOMERS = 100;

/**
 * Maximum number of endpoints whose entries in a list are scanned one endpoint at a time. With more, the whole list
 * is scanned.
 */
const MAX_ENDPOINTS = 100;

const findCustomersByEmail = dynamicStatement(
  { id: uuid },
  (accessScope: AccessScope, email: string) => {
    const where = new Conditions();
    where.add(`(c.email COLLATE "C") = ${where.bind(email)} AND ${anyCustomerCondition}`);
    where.add(where.projectAccessScopeCondition('c.project_id', accessScope));
    const sql = `SELECT c.id FROM customers c WHERE ${where.sql} LIMIT ${MAX_CUSTOMERS}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, 'ada@example.com'] as const),
);

const findCustomer = dynamicStatement(
  { id: uuid },
  (accessScope: AccessScope, id: string) => {
    const where = new Conditions();
    where.add(where.projectAccessScopeCondition('c.project_id', accessScope));
    const sql = `SELECT c.id FROM customers c WHERE c.id = ${where.bind(id)} AND ${where.sql}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
);

type EndpointCondition = (where: Conditions, text: string) => string;

const findEndpoints = dynamicStatement(
  { id: uuid },
  (accessScope: AccessScope, condition: EndpointCondition, text: string) => {
    const where = new Conditions();
    where.add(condition(where, text)).addAccessScope('w', 'w.project_id', accessScope);
    const sql = `SELECT w.id FROM webhook_endpoints w WHERE ${where.sql} LIMIT ${MAX_ENDPOINTS + 1}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.flatMap((accessScope) => [
    [accessScope, urlPrefixCondition, 'https://'] as const,
    [accessScope, endpointNameCondition, 'example'] as const,
  ]),
);

/** The statement is not prepared, because the partition to scan depends on the id. */
const findAttempt = dynamicStatement(
  { deliveryId: uuid },
  (attemptId: string) => ({
    text: 'SELECT delivery_id AS "deliveryId" FROM attempts WHERE id = $1',
    values: [attemptId],
  }),
  [[NIL_UUID]],
);

const findDelivery = statement(
  { eventId: uuid },
  'SELECT event_id AS "eventId" FROM deliveries WHERE id = $1',
);

/** Finds resources by values other than their id. */
export class LookupsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the ids of customers with exactly this email address, in all projects within the access scope. */
  async findCustomerIdsByEmail(accessScope: AccessScope, email: string): Promise<string[]> {
    const customers = await this.database.execute(findCustomersByEmail(accessScope, email));
    return customers.map(({ id }) => id);
  }

  /**
   * Returns whether a customer is within the access scope. With installation-wide access, this includes deleted
   * customers.
   */
  async isCustomerWithin(accessScope: AccessScope, id: string): Promise<boolean> {
    if (!accessScope.organizationIds && !accessScope.projectId) return true;
    return (await this.database.execute(findCustomer(accessScope, id))).length > 0;
  }

  /**
   * Returns the ids of endpoints within the access scope whose URL starts with `prefix`, including deleted endpoints;
   * null if there are too many.
   */
  findEndpointIdsByUrl(accessScope: AccessScope, prefix: string): Promise<string[] | null> {
    return this.findEndpointIds(accessScope, urlPrefixCondition, prefix);
  }

  /**
   * Returns the ids of endpoints within the access scope whose name contains `text`, or whose host starts with it if
   * they have no name. Includes deleted endpoints; null if there are too many.
   */
  findEndpointIdsByName(accessScope: AccessScope, text: string): Promise<string[] | null> {
    return this.findEndpointIds(accessScope, endpointNameCondition, text);
  }

  /** Returns an attempt's delivery id, or null. */
  async findDeliveryIdByAttempt(attemptId: string): Promise<string | null> {
    const [attempt] = await this.database.execute(findAttempt(attemptId));
    return attempt?.deliveryId ?? null;
  }

  /** Returns a delivery's event id, or null. */
  async findEventIdByDelivery(deliveryId: string): Promise<string | null> {
    const [delivery] = await this.database.execute(findDelivery, [deliveryId]);
    return delivery?.eventId ?? null;
  }

  private async findEndpointIds(
    accessScope: AccessScope,
    condition: EndpointCondition,
    text: string,
  ): Promise<string[] | null> {
    const endpoints = await this.database.execute(findEndpoints(accessScope, condition, text));
    return endpoints.length > MAX_ENDPOINTS ? null : endpoints.map(({ id }) => id);
  }
}
