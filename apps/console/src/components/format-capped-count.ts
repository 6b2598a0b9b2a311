/** Maximum count that the server returns. */
const MAX_COUNT = 10_000;

/** Formats a count as "1,234", or as "10,000+" if there are more. */
export const formatCappedCount = (count: number, isMore = count === MAX_COUNT): string =>
  `${count.toLocaleString('en')}${isMore ? '+' : ''}`;
