/**
 * SQL condition that a customer `c` belongs to the project `$1`, for lookups by id. It is an expression, because
 * PostgreSQL cannot use an expression as an index condition. Otherwise, without current statistics, as during a
 * project's first import, PostgreSQL would use an index that begins with the project and read all its customers for
 * each list of ids.
 */
export const IS_IN_PROJECT = '(c.project_id = $1) IS TRUE';
