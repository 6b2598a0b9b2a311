import type { Database } from '../database.js';
import { deliveryColumns, type DeliverySummary } from './deliveries.repository.js';

/** A delivery of a chain: each but the first is the redelivery of the one before. */
export interface ChainLink extends DeliverySummary {
  batchId: string | null;
}

/** Links that are followed in each direction: nobody redelivers one event by hand so many times. */
const MAX_LINKS = 100;

/** What a delivery was made of, and what was made of it. */
export class DeliveryChainsRepository {
  constructor(private readonly database: Database) {}

  /**
   * The chain of a delivery whose reach has been checked, oldest first: all of it is of one event and one endpoint. What
   * retention has removed ends it.
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
