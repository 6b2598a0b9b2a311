import { IN_LOCK_ORDER } from './lock-order.js';

/** Most deliveries that one statement cancels, well within its time-out. */
export const CANCEL_LIMIT = 5_000;

/**
 * A statement that cancels pending deliveries and counts them as `count`. A delivery in flight is left to its
 * outcome: it cannot be called back.
 * @param source which deliveries, `p`: what follows FROM, ending in a condition
 */
export const cancelPendingSql = (source: string): string => `
  WITH waiting AS (
    -- An array: the planner takes it for a few rows, and joins by hash even before it knows how long the line is.
    SELECT d.id FROM unnest(ARRAY(
      SELECT p.id FROM ${source} AND p.state = 'pending' AND p.lease_until IS NULL LIMIT ${CANCEL_LIMIT}
    )) AS next (id) JOIN deliveries d ON d.id = next.id
    WHERE d.state = 'pending' AND d.lease_until IS NULL ${IN_LOCK_ORDER}
  ), cancelled AS (
    UPDATE deliveries d SET state = 'cancelled', next_attempt_at = NULL, finished_at = clock_timestamp()
    WHERE d.id = ANY (ARRAY(SELECT id FROM waiting)) RETURNING d.id
  )
  SELECT count(*)::int AS count FROM cancelled`;
