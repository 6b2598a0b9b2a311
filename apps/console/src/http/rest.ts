const REST_MS = 60_000;

/** Without `scroll`: a list that grows moves by itself. */
const touches = ['click', 'keydown', 'pointerdown', 'pointermove', 'touchmove', 'wheel'] as const;

let touchedAt = Date.now();
for (const name of touches)
  document.addEventListener(name, () => (touchedAt = Date.now()), { capture: true, passive: true });

/**
 * Whether nobody has touched the page for a minute. What it asks then it asks by itself, and that must not keep the
 * session of somebody who went away from its idle end (requirement CO-01).
 */
export const isResting = (): boolean => Date.now() - touchedAt > REST_MS;
