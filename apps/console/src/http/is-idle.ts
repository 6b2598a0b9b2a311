const IDLE_MS = 60_000;

/** Events that count as activity. `scroll` is not included, because a growing list scrolls by itself. */
const activityEvents = ['click', 'keydown', 'pointerdown', 'pointermove', 'touchmove', 'wheel'] as const;

let lastActivityAt = Date.now();
for (const name of activityEvents)
  document.addEventListener(name, () => (lastActivityAt = Date.now()), { capture: true, passive: true });

/**
 * Returns true if the operator has not used the page for a minute. Requests that the page then sends by itself must not
 * prevent the session's idle timeout (requirement CO-01).
 */
export const isIdle = (): boolean => Date.now() - lastActivityAt > IDLE_MS;
