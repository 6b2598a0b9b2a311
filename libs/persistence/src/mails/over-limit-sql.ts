/** Condition that an email was dropped in the last hour because it exceeded its project's limit. */
export const isRecentlyOverLimit = `state = 'dropped' AND reason = 'project_limit'
  AND created_at > statement_timestamp() - interval '1 hour'`;
