/**
 * Ends a SELECT that locks several deliveries, aliased `d`: whoever waits for such locks takes them in this one
 * order, or two of them deadlock.
 */
export const IN_LOCK_ORDER = 'ORDER BY d.id FOR NO KEY UPDATE OF d';
