/** The lowest Node.js version that production should use (requirement SC-01). */
const MIN_NODE = [24, 22, 1];

/** A later release line that no longer receives security fixes. */
const ENDED_MAJOR = 25;

/**
 * Returns whether a Node.js version lacks security fixes.
 * @param version such as `24.22.1`
 */
export function isOutdatedNode(version: string): boolean {
  const parts = version.split('.').map((part) => parseInt(part, 10));
  if (parts[0] === ENDED_MAJOR) return true;
  const index = parts.findIndex((part, position) => part !== MIN_NODE[position]);
  return index >= 0 && parts[index]! < MIN_NODE[index]!;
}
