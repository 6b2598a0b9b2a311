/**
 * Highest HTTP status that is recorded. A receiver can return any three digits, although RFC 9110 defines only 100 to
 * 599.
 */
export const MAX_HTTP_STATUS = 999;

/** The classes of recorded HTTP statuses. `none`: no response was received. `other`: 1 to 199 and 600 to 999. */
export const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'other', 'none'] as const;
export type StatusClass = (typeof statusClasses)[number];

/** Status ranges, each with its first and last status. */
export type StatusRanges = readonly (readonly [first: number, last: number])[];

/** The statuses of each class. Each status belongs to one class. */
export const statusRanges: Record<StatusClass, StatusRanges> = {
  '2xx': [[200, 299]],
  '3xx': [[300, 399]],
  '4xx': [[400, 499]],
  '5xx': [[500, 599]],
  other: [
    [1, 199],
    [600, MAX_HTTP_STATUS],
  ],
  none: [[0, 0]],
};
