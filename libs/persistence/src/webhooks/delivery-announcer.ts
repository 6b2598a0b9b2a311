// Raw SQL: a call to pg_notify.
import {
  Batcher,
  errorMessage,
  withTimeout,
  type DeliveryPointer,
  type DeliveryQueue,
  type Logger,
} from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { statement, text } from '../sql/statements.js';

/** Channel on which PostgreSQL notifies workers of due deliveries. */
export const DELIVERY_CHANNEL = 'gatehouse_deliveries';

const ANNOUNCE_TIMEOUT_MS = 250;

/**
 * Commits asynchronously, because a notification is not stored. PostgreSQL assigns a transaction id to it and would
 * otherwise flush the WAL, as it does for a change.
 */
const notifyWorkers = statement(
  { synchronousCommit: text, notified: text },
  `SELECT set_config('synchronous_commit', 'off', true) AS "synchronousCommit",
     pg_notify('${DELIVERY_CHANNEL}', '')::text AS notified`,
);

/**
 * Announces new deliveries to the workers after their transaction has committed: with jobs in Redis or, without
 * Redis, with NOTIFY. This is best effort, because the due poller finds deliveries whose announcement was lost.
 */
export class DeliveryAnnouncer {
  private readonly batcher = new Batcher<DeliveryPointer[], true>(async (commits) => {
    await this.send(commits.flat());
    return commits.map(() => true);
  });

  constructor(
    private readonly database: Database,
    private readonly queue: DeliveryQueue | null,
    private readonly firstDelayMs: number,
    private readonly logger: Logger,
  ) {}

  /** Announces a commit's deliveries. Never throws, and never takes longer than 250 ms. */
  async announce(deliveries: DeliveryPointer[]): Promise<void> {
    await withTimeout(this.batcher.add(deliveries), ANNOUNCE_TIMEOUT_MS, 'enqueueing took too long').catch(
      (error: unknown) =>
        this.logger.warn(
          { reason: errorMessage(error) },
          'delivery enqueue failed; the due poller will pick it up',
        ),
    );
  }

  private async send(deliveries: DeliveryPointer[]): Promise<void> {
    if (!this.queue?.isReady()) return void (await this.database.execute(notifyWorkers));
    const jobs = deliveries.map(({ deliveryId, endpointId, projectId }) => ({
      deliveryId,
      endpointId,
      projectId,
      attempt: 1,
    }));
    await this.queue.addTogether(jobs, this.firstDelayMs);
  }
}
