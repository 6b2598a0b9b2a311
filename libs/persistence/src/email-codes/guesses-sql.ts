/** Maximum number of wrong guesses per project per hour before email codes become longer. */
const MAX_WRONG_GUESSES = 1_000;

/** SQL for the condition that a wrong guess count belongs to the last hour. */
const isInLastHour = `began_at > statement_timestamp() - interval '1 hour'`;

/** SQL for the start of the current counting interval. */
export const currentCount = `date_bin('5 minutes', statement_timestamp(), 'epoch')`;

/**
 * Returns SQL for the condition that a project exceeds the maximum number of wrong guesses.
 * @param projectId SQL from code, never from input
 */
export const exceedsGuessLimitSql = (projectId: string): string => `coalesce(
  (SELECT sum(guesses) FROM email_code_guesses WHERE project_id = ${projectId} AND ${isInLastHour}) > ${MAX_WRONG_GUESSES}, false)`;

/** Returns SQL for the first and last counting interval of each project that exceeds the maximum. */
export const projectsOverGuessLimitSql = (limit: number): string => `
  SELECT min(began_at) AS since, max(began_at) AS newest FROM email_code_guesses WHERE ${isInLastHour}
  GROUP BY project_id HAVING sum(guesses) > ${MAX_WRONG_GUESSES} LIMIT ${limit}`;
