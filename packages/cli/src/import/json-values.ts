/** Returns true if objects and lists are nested deeper than `levels`. */
export function exceedsDepth(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => exceedsDepth(item, levels - 1));
}

/**
 * Returns true if a value contains an integer that a JavaScript number cannot represent exactly. The value must not be
 * nested deeply.
 */
export function hasInexactInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactInteger);
}
