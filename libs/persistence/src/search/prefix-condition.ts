/**
 * Returns a condition for values that start with a prefix, which uses an index in byte order.
 * @param column text column, or the index expression
 * @param prefix SQL for the prefix
 */
export const prefixCondition = (column: string, prefix: string): string =>
  `(${column} COLLATE "C") >= ${prefix} AND (${column} COLLATE "C") < ${prefix} || chr(1114111)`;
