/** Maximum time between two keys of a sequence, in ms. */
const SEQUENCE_MS = 2_000;

/** The first key in a sequence such as "g d". */
export interface PendingKey {
  key: string;
  /** Time of the key press in ms, as in `Event.timeStamp`. */
  at: number;
}

/**
 * Finds the shortcut that a key completes. If the key starts a sequence, returns it as `pending`.
 * @param shortcuts keys, separated by spaces if they are pressed one after the other
 * @param pending the previous key, if it starts a sequence
 */
export function matchKey(
  shortcuts: readonly string[],
  key: string,
  at: number,
  pending: PendingKey | null,
): { shortcut: string | null; pending: PendingKey | null } {
  const sequence = pending && at - pending.at < SEQUENCE_MS ? `${pending.key} ${key}` : null;
  const shortcut = [sequence, key].find((keys) => keys !== null && shortcuts.includes(keys)) ?? null;
  const isFirst = shortcut === null && shortcuts.some((keys) => keys.startsWith(`${key} `));
  return { shortcut, pending: isFirst ? { key, at } : null };
}
