/**
 * Condition that a customer `c` belongs to the project `$1`, for a search by ids. Without current statistics, as
 * during a project's first import, PostgreSQL would otherwise search an index that begins with the project, and read
 * all its customers for each id list. An expression cannot be an index condition.
 */
export const OF_PROJECT = '(c.project_id = $1) IS TRUE';
