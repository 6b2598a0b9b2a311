// Raw SQL: unions over several tables.
import type { AuditTargetType } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { statement, text, textOf, uuid, type RowOf } from '../sql/statements.js';
import { endpointNameSql } from '../webhooks/endpoint-name-sql.js';

/** An audit log actor's name. Entries refer to actors as `key:<id>`, `operator:<id>` or `customer:<id>`. */
export interface ActorName {
  type: 'key' | 'operator' | 'customer';
  id: string;
  /** A key's name, or the email address of an operator or customer. */
  name: string;
}

const findActors = statement(
  { type: textOf<ActorName['type']>(), id: uuid, name: text },
  `SELECT 'key' AS type, id, name FROM api_keys WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'operator', id, email FROM operators WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'customer', id, email FROM customers WHERE id = ANY ($1::uuid[])`,
);

const targetRow = { type: textOf<AuditTargetType>(), id: uuid, name: text };

/** An audit log target's name. Its id is the UUID without a prefix. */
export type TargetName = RowOf<typeof targetRow>;

const findTargets = statement(
  targetRow,
  `SELECT 'api_key' AS type, id, name FROM api_keys WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'operator', id, email FROM operators WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'customer', id, email FROM customers WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'organization', id, name FROM organizations WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'project', id, name FROM projects WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'identity_provider', id, name FROM identity_providers WHERE id = ANY ($1::uuid[])
   UNION ALL SELECT 'webhook_endpoint', id, ${endpointNameSql('w')} FROM webhook_endpoints w WHERE id = ANY ($1::uuid[])`,
);

/** Looks up the names that the audit log displays for actors and targets. */
export class ActorsRepository {
  constructor(private readonly database: Database) {}

  /** Returns these actors' names, whatever their type. Omits deleted actors. */
  async findNames(ids: string[]): Promise<ActorName[]> {
    if (ids.length === 0) return [];
    return this.database.execute(findActors, [ids]);
  }

  /** Returns these targets' names, whatever their type. Omits deleted targets and types without names. */
  async findTargetNames(ids: string[]): Promise<TargetName[]> {
    if (ids.length === 0) return [];
    return this.database.execute(findTargets, [ids]);
  }
}
