// Raw SQL: recursive queries.
import type { Database } from '../database/database.js';
import { nullable, statement, uuid, type RowOf } from '../sql/statements.js';
import { deliveryColumns, deliveryRow } from './deliveries.repository.js';

const linkRow = { ...deliveryRow, batchId: nullable(uuid) };

/** A delivery in a chain. Each one except the first is a redelivery of the previous one. */
export type ChainLink = RowOf<typeof linkRow>;

/**
 * Maximum number of links to follow in each direction. Manual redeliveries of one event never create a chain this
 * long.
 */
const MAX_LINKS = 100;

const findChain = statement(
  linkRow,
  `WITH RECURSIVE earlier AS (
     SELECT id, redelivery_of, 1 AS depth FROM deliveries WHERE id = $1
     UNION ALL
     SELECT d.id, d.redelivery_of, depth + 1 FROM earlier JOIN deliveries d ON d.id = earlier.redelivery_of
     WHERE depth < ${MAX_LINKS}
   ), later AS (
     SELECT id, redelivered_as, 1 AS depth FROM deliveries WHERE id = $1
     UNION ALL
     SELECT d.id, d.redelivered_as, depth + 1 FROM later JOIN deliveries d ON d.id = later.redelivered_as
     WHERE depth < ${MAX_LINKS}
   )
   SELECT ${deliveryColumns}, d.batch_id AS "batchId" FROM deliveries d
   WHERE d.id IN (SELECT id FROM earlier UNION SELECT id FROM later) ORDER BY d.id`,
);

/** Finds a delivery's originals and redeliveries. */
export class DeliveryChainsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the chain that contains a delivery, oldest first. All deliveries in a chain have the same event and
   * endpoint. The chain ends at deliveries that retention has removed. The caller must have checked the access scope.
   */
  findChain(deliveryId: string): Promise<ChainLink[]> {
    return this.database.execute(findChain, [deliveryId]);
  }
}
