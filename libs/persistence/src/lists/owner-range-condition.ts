/**
 * Returns a condition that matches an owner's rows with ids from `first` (inclusive) to `past` (exclusive). It
 * compares rows instead of columns, so that only an index on (column, id) provides the order. The condition `IS NOT
 * NULL` is explicit, because some of these indexes are partial and PostgreSQL does not infer it from a row
 * comparison.
 * @param table alias of the table
 */
export const ownerRangeCondition = (
  table: string,
  column: string,
  owner: string,
  { first, past }: { first: string; past: string },
): string => `${table}.${column} IS NOT NULL AND (${table}.${column}, ${table}.id) >= (${owner}, ${first})
  AND (${table}.${column}, ${table}.id) < (${owner}, ${past})`;
