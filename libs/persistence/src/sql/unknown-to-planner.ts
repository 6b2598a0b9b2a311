/**
 * Returns SQL for a project or organization id, for use in a search for a unique value such as an email address.
 *
 * PostgreSQL looks up a parameter's value in its statistics. If they do not contain it yet, as with a new project, it
 * expects a single row. Any index that begins with the project then seems as good as the unique one, and each search
 * may read all of the project's rows. With a subquery, it expects as many rows as an average project has.
 * @param parameter placeholder, such as `$1`
 */
export const unknownToPlanner = (parameter: string): string => `(SELECT ${parameter}::uuid)`;
