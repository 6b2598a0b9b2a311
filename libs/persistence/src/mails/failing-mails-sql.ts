/** Time that an email waits before it counts as failing: greylisting and mail server restarts take less. */
const PATIENCE = `interval '5 minutes'`;

/** Number of recipients from which rejections are no longer attributed to the recipients. */
const MIN_RECIPIENTS = 3;

const hasFailedAttempt = `(tries > 1 OR response IS NOT NULL)`;

/**
 * SQL for the condition that an email failed for a reason other than its recipient or content: no connection, no
 * authentication, a rejected sender, or no attempt before it expired.
 */
const isServerFailure = `(reason IS DISTINCT FROM 'rejected' AND coalesce(response, '') !~ '^4')`;

/**
 * Returns SQL for one row about the emails that fail while the mail server accepts none (ADR 0091): `count`, and the
 * creation times `since` and `newest`. The count is 0 if the failures can be attributed to single recipients. The
 * installation must have a mail server.
 * @param limit maximum number of waiting emails, and of abandoned ones, to read, oldest first
 */
export const failingMails = (limit: number): string => {
  const lastAcceptance = `(SELECT coalesce(max(finished_at), '-infinity') FROM mails WHERE state IN ('sent', 'kept'))`;
  const oldest = (state: string): string => `
    (SELECT recipient, state, created_at, tries, reason, response FROM mails
     WHERE state = '${state}' AND created_at > ${lastAcceptance} ORDER BY created_at LIMIT ${limit})`;
  return `
    SELECT CASE WHEN bool_or(${isServerFailure}) OR count(DISTINCT recipient) >= ${MIN_RECIPIENTS}
        THEN least(count(*), ${limit}) ELSE 0 END::int AS count,
      min(created_at) AS since, max(created_at) AS newest
    FROM (${oldest('pending')} UNION ALL ${oldest('failed')}) unsent
    WHERE state = 'failed' OR (created_at <= statement_timestamp() - ${PATIENCE} AND ${hasFailedAttempt})`;
};
