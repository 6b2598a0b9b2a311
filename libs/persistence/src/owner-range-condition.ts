/**
 * SQL for the rows of one owner whose ids are in a range: `first` is in it, `past` is not. Rows are compared in place of
 * columns, so that no other index than that of (column, id) has their order; from that alone PostgreSQL does not see that
 * there is a value, as the index of some columns says.
 * @param table alias of the table
 */
export const ownerRangeCondition = (
  table: string,
  column: string,
  owner: string,
  { first, past }: { first: string; past: string },
): string => `${table}.${column} IS NOT NULL AND (${table}.${column}, ${table}.id) >= (${owner}, ${first})
  AND (${table}.${column}, ${table}.id) < (${owner}, ${past})`;
