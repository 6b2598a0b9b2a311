/** Sorts before every id. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Sorts after every id. */
export const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Maximum difference in ms, with a margin, between the time in the id of an event, delivery or email and its
 * `created_at`.
 */
export const MAX_CREATED_AT_SKEW_MS = 60_000;

/** Maximum difference in ms, with a margin, between the installation's clocks, which generate ids and times. */
export const MAX_CLOCK_SKEW_MS = 3_600_000;

/**
 * Returns the lowest UUIDv7 for a time in ms since 1970, to convert a time range into an id range. Earlier times
 * count as 1970.
 */
export function minIdAt(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * Returns the id range for a filter's times and a page's position: `first` is inclusive, `past` is exclusive. Because
 * ids contain the time in ms, `createdAfter` starts with the next ms.
 * @param before the previous page's last id; ids in the range are lower
 * @param slack maximum difference in ms between an id's timestamp and the filtered time
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

/** Returns SQL for the lowest UUIDv7 at a time. @param time SQL for the time */
export const minIdAtSql = (time: string): string =>
  `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

/** Returns SQL for a valid UUIDv7 that depends only on the time. @param time SQL for the time */
export const fixedIdAtSql = (time: string): string =>
  `overlay(${minIdAtSql(time)}::text placing '7000-8000' from 15 for 9)::uuid`;

/** Returns a UUIDv7's timestamp in ms since 1970 (RFC 9562, section 5.7). */
export const parseIdTime = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** An id range, which is also a time range. `from` is inclusive, `to` is exclusive. */
export interface IdRange {
  from: string;
  to: string;
}
