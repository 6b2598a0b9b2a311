const IDLE_MS = 60_000;

/** Without `scroll`: a list that grows moves by itself. */
const activityEvents = ['click', 'keydown', 'pointerdown', 'pointermove', 'touchmove', 'wheel'] as const;

let lastActivityAt = Date.now();
for (const name of activityEvents)
  document.addEventListener(name, () => (lastActivityAt = Date.now()), { capture: true, passive: true });

/**
 * Whether nobody has touched the page for a minute. What it asks then it asks by itself, and that must not keep the
 * session of somebody who went away from its idle end (requirement CO-01).
 */
export const isIdle = (): boolean => Date.now() - lastActivityAt > IDLE_MS;
