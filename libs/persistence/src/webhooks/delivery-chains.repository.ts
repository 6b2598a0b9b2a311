import type { Database } from '../database.js';
import { deliveryColumns, type DeliverySummary } from './deliveries.repository.js';

/** A delivery of a chain. Each delivery except the first is the redelivery of the previous one. */
export interface ChainLink extends DeliverySummary {
  batchId: string | null;
}

/**
 * Maximum number of links that are followed in each direction, more than manual redeliveries of one event
 * produce.
 */
const MAX_LINKS = 100;

/** Reads the originals and the redeliveries of a delivery. */
export class DeliveryChainsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the chain of a delivery, oldest first. All its deliveries are of one event to one endpoint. The
   * chain ends at deliveries that retention has removed. The caller has checked the reach.
   */
  async findChain(deliveryId: string): Promise<ChainLink[]> {
    return this.database.queryPrepared<ChainLink>(
      `WITH RECURSIVE earlier AS (
         SELECT id, redelivery_of, 1 AS n FROM deliveries WHERE id = $1
         UNION ALL SELECT d.id, d.redelivery_of, n + 1 FROM earlier e JOIN deliveries d ON d.id = e.redelivery_of
         WHERE n < ${MAX_LINKS}
       ), later AS (
         SELECT id, redelivered_as, 1 AS n FROM deliveries WHERE id = $1
         UNION ALL SELECT d.id, d.redelivered_as, n + 1 FROM later l JOIN deliveries d ON d.id = l.redelivered_as
         WHERE n < ${MAX_LINKS}
       )
       SELECT ${deliveryColumns}, d.batch_id AS "batchId" FROM deliveries d
       WHERE d.id IN (SELECT id FROM earlier UNION SELECT id FROM later) ORDER BY d.id`,
      [deliveryId],
    );
  }
}
