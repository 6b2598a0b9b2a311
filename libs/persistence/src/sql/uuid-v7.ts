/** Sorts before every id. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Sorts after every id. */
export const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Maximum time between the time in an id (for an event, a delivery or an email) and its `created_at`, with a margin. */
export const MAX_CREATED_AT_SKEW_MS = 60_000;

/** Maximum difference between the installation's clocks, which generate ids and times, with a margin. */
export const MAX_CLOCK_SKEW_MS = 3_600_000;

/**
 * Returns the smallest UUIDv7 for a time in ms since 1970 (for an earlier time, the one for 1970), so that a time
 * range is an id range.
 */
export function minIdAt(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * Returns the id range for a filter's times, below the id at which a page starts: `first` is included, `past` is
 * excluded. An id contains the time in ms, and "after" means a later time: from the next ms on.
 * @param slack maximum time in ms between the time in an id and the filtered time
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

/** Returns SQL for a time's smallest id. @param time SQL for a time */
export const minIdAtSql = (time: string): string =>
  `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

/** Returns SQL for a UUIDv7 that is always the same for a time. @param time SQL for a time */
export const fixedIdAtSql = (time: string): string =>
  `overlay(${minIdAtSql(time)}::text placing '7000-8000' from 15 for 9)::uuid`;

/** Returns the time in a UUIDv7, in ms since 1970 (RFC 9562, section 5.7). */
export const parseIdTime = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** An id range, which is a time range: `from` is included, `to` is excluded. */
export interface IdRange {
  from: string;
  to: string;
}
