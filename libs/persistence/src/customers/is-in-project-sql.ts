/**
 * SQL condition that a customer `c` belongs to the project `$1`, for lookups by id. The expression prevents PostgreSQL
 * from using it as an index condition. Without current statistics, as during a project's first import, PostgreSQL would
 * otherwise use an index that begins with the project id, and read all customers in the project for each list of ids.
 */
export const IS_IN_PROJECT = '(c.project_id = $1) IS TRUE';
