/**
 * Condition that a customer `c` is of the project `$1`, for a search by ids. Without current statistics, as during the first
 * import of a project, PostgreSQL would otherwise search an index that begins with the project, and read all of its customers
 * for each list of ids. An expression is not a condition of an index.
 */
export const OF_PROJECT = '(c.project_id = $1) IS TRUE';
