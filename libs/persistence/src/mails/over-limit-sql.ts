/** SQL for an email of the last hour that was dropped because of the limit of a project. */
export const isRecentlyOverLimit = `state = 'dropped' AND reason = 'project_limit'
  AND created_at > statement_timestamp() - interval '1 hour'`;
