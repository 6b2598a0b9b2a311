/**
 * Returns SQL for values with a prefix, for an index in byte order.
 * @param column text column, or SQL as in the index
 * @param prefix SQL for the prefix
 */
export const prefixCondition = (column: string, prefix: string): string =>
  `(${column} COLLATE "C") >= ${prefix} AND (${column} COLLATE "C") < ${prefix} || chr(1114111)`;
