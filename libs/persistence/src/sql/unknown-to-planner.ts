/**
 * Returns SQL for a project's or organization's id in a search for another unique value, such as an email address.
 *
 * For a parameter, PostgreSQL looks the id up in its statistics. If they do not contain it yet, as with a new project, it expects
 * a single row, so any index that begins with the project seems as good as the unique one, and each search can read all rows of
 * the project. For a subquery, it expects the rows of an average project.
 * @param parameter such as `$1`
 */
export const unknownToPlanner = (parameter: string): string => `(SELECT ${parameter}::uuid)`;
