/** The smallest UUIDv7 of a moment in ms since 1970, so that a span of time is a range of ids. */
export function lowestId(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The moment that a UUIDv7 was made for, in ms since 1970 (RFC 9562, section 5.7). */
export const timeOfId = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
