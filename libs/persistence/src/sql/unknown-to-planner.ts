/**
 * Returns SQL for a project's or organization's id in a search for another unique value, such as an email address.
 *
 * For a parameter, PostgreSQL looks the id up in its statistics. If they do not contain it yet, as with a new
 * project, it expects a single row, so any index that begins with the project seems as good as the unique one, and
 * each search can read all of the project's rows. For a subquery, it expects an average project's rows.
 * @param parameter such as `$1`
 */
export const unknownToPlanner = (parameter: string): string => `(SELECT ${parameter}::uuid)`;
