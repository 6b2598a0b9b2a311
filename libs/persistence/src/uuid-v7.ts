/** Comes before every id. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Comes after every id. */
export const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Longest time between what the id of an event or a delivery says and its `created_at`, with room to spare. */
export const MAX_CREATED_AT_SKEW_MS = 60_000;

/** Longest time between the clocks of the house, which make ids and times, with room to spare. */
export const MAX_CLOCK_SKEW_MS = 3_600_000;

/** The smallest UUIDv7 of a moment in ms since 1970 (of 1970 itself for an earlier one), so that a span of time is a range of ids. */
export function minIdAt(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * Between which ids the times of a filter are, and below the id that a page begins at: `first` is in it, `past` is not.
 * An id holds the time to the ms, and "after" is a time later than that: from the next ms on.
 * @param slack longest time in ms between what an id says and the time that is asked for
 */
export function filterIdRange(
  { createdAfter, createdBefore }: { createdAfter: Date | null; createdBefore: Date | null },
  before: string | null,
  slack: number,
): { first: string; past: string } {
  const end = createdBefore ? minIdAt(createdBefore.getTime() + slack) : MAX_UUID;
  return {
    first: createdAfter ? minIdAt(createdAfter.getTime() + 1 - slack) : NIL_UUID,
    past: before !== null && before < end ? before : end,
  };
}

/** The smallest id of a moment in SQL. @param time SQL of a time */
export const minIdAtSql = (time: string): string =>
  `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

/** The moment that a UUIDv7 was made for, in ms since 1970 (RFC 9562, section 5.7). */
export const parseIdTime = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** A range of ids, which is a span of time: `from` is in it, `to` is not. */
export interface IdRange {
  from: string;
  to: string;
}
