/**
 * Ends a SELECT that locks several deliveries, aliased `d`: all transactions acquire such locks in this
 * order, because they could deadlock otherwise.
 */
export const IN_LOCK_ORDER = 'ORDER BY d.id FOR NO KEY UPDATE OF d';
