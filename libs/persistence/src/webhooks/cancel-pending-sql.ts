import { IN_LOCK_ORDER } from './lock-order.js';

/** Maximum number of deliveries that one statement cancels, so that it stays well within its timeout. */
export const CANCEL_LIMIT = 5_000;

/**
 * Returns a statement that cancels pending deliveries, and returns their number as `count`. Skips deliveries in
 * flight, because their requests cannot be recalled.
 * @param source SQL after FROM that selects the deliveries `d` and ends with a condition
 */
export const cancelPendingSql = (source: string): string => `
  WITH waiting AS (
    -- The planner estimates few rows for an array, so it does not choose a hash join, even before it knows
    -- how long the queue is.
    SELECT d.id FROM unnest(ARRAY(
      SELECT d.id FROM ${source} AND d.state = 'pending' AND d.lease_until IS NULL LIMIT ${CANCEL_LIMIT}
    )) AS next (id) JOIN deliveries d ON d.id = next.id
    WHERE d.state = 'pending' AND d.lease_until IS NULL ${IN_LOCK_ORDER}
  ), cancelled AS (
    UPDATE deliveries d SET state = 'cancelled', next_attempt_at = NULL, finished_at = clock_timestamp()
    WHERE d.id = ANY (ARRAY(SELECT id FROM waiting)) RETURNING d.id
  )
  SELECT count(*)::int AS count FROM cancelled`;
