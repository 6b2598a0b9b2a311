/**
 * End of a SELECT that locks several deliveries `d`. All transactions lock deliveries in this order to prevent
 * deadlocks.
 */
export const IN_LOCK_ORDER = 'ORDER BY d.id FOR NO KEY UPDATE OF d';
