/** SQL for the condition that an email in the last hour was dropped because it exceeded a project's limit. */
export const isRecentlyOverLimit = `state = 'dropped' AND reason = 'project_limit'
  AND created_at > statement_timestamp() - interval '1 hour'`;
