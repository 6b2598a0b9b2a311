// Raw SQL: one statement that searches several queues.
import type { Database } from '../database/database.js';
import { isSessionCheckPending } from '../identity-providers/required-domains.repository.js';
import { isMailDue } from '../mails/mails.repository.js';
import { boolean, statement, type RowOf } from '../sql/statements.js';
import { isLeaseExpired } from '../webhooks/delivery-claim.js';
import { isUnfinishedBatch } from '../webhooks/redelivery-processing.repository.js';
import { isUnnotified } from '../webhooks/unnotified-dead-letters.repository.js';
import { isReplayWaiting } from '../webhooks/webhook-replays.repository.js';

const pendingWorkRow = {
  /** Attempts whose worker was lost, or deliveries to inactive endpoints. */
  repairs: boolean,
  deadLetters: boolean,
  mails: boolean,
  replays: boolean,
  redeliveryBatches: boolean,
  requiredDomains: boolean,
};

/** The kinds of work that wait for a worker, other than due deliveries. */
export type PendingWork = RowOf<typeof pendingWorkRow>;

/**
 * Returns SQL for whether any row is waiting. The order is that of an index with only such rows, so that the planner
 * never scans a table, whatever its statistics say. EXISTS would ignore the order.
 */
const isAny = (from: string, order: string): string =>
  `(SELECT true FROM ${from} ORDER BY ${order} LIMIT 1) IS NOT NULL`;

/** Searches endpoint by endpoint, because their queues may be long. */
const hasInactiveEndpointDeliveries = `EXISTS (
  SELECT FROM webhook_endpoints w CROSS JOIN LATERAL (
    SELECT FROM deliveries d WHERE d.endpoint_id = w.id AND d.state = 'pending' AND d.lease_until IS NULL
    ORDER BY d.urgency, d.next_attempt_at LIMIT 1
  ) waiting WHERE w.status <> 'enabled')`;

const readPendingWork = statement(
  pendingWorkRow,
  `SELECT
     ${isAny(`deliveries WHERE ${isLeaseExpired}`, 'lease_until')} OR ${hasInactiveEndpointDeliveries} AS repairs,
     ${isAny(`deliveries WHERE ${isUnnotified}`, 'id')} AS "deadLetters",
     ${isAny(`mails WHERE ${isMailDue}`, 'next_try_at')} AS mails,
     ${isAny(`webhook_replays r WHERE ${isReplayWaiting}`, 'r.id')} AS replays,
     ${isAny(`redelivery_batches WHERE ${isUnfinishedBatch}`, 'id')} AS "redeliveryBatches",
     ${isAny(`identity_provider_domains d WHERE ${isSessionCheckPending}`, 'd.sessions_checked_to')} AS "requiredDomains"`,
);

/** Finds out which jobs a worker has to run, with one statement for all of them. */
export class PendingWorkRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<PendingWork> {
    const [work] = await this.database.execute(readPendingWork);
    return work!;
  }
}
