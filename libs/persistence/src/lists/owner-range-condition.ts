/**
 * Returns SQL for one owner's rows whose ids are in a range: `first` is included, `past` is excluded. Compares rows
 * instead of columns, so that only the index of (column, id) has their order. PostgreSQL does not conclude from a row
 * comparison that the column is not null, which is a condition in some of these indexes, so the condition is
 * explicit.
 * @param table the table's alias
 */
export const ownerRangeCondition = (
  table: string,
  column: string,
  owner: string,
  { first, past }: { first: string; past: string },
): string => `${table}.${column} IS NOT NULL AND (${table}.${column}, ${table}.id) >= (${owner}, ${first})
  AND (${table}.${column}, ${table}.id) < (${owner}, ${past})`;
