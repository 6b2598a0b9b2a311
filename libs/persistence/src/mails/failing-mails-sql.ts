/** How old a pending email must be to count as failing. Greylisting and mail server restarts take less time. */
const GRACE_PERIOD = `interval '5 minutes'`;

/**
 * Minimum number of different recipients for rejections to be attributed to the mail server instead of the
 * recipients.
 */
const MIN_RECIPIENTS = 3;

const hasFailedAttempt = `(tries > 1 OR response IS NOT NULL)`;

/**
 * Condition that an email failed for a reason other than its recipient or content: a failed connection or
 * authentication, a rejected sender, or expiry before the first attempt.
 */
const isServerFailure = `(reason IS DISTINCT FROM 'rejected' AND coalesce(response, '') !~ '^4')`;

/**
 * Returns SQL for one row about the emails that have failed since the mail server last accepted one (ADR 0091):
 * `count`, and the creation times `since` and `newest`. The count is 0 if the failures can be attributed to
 * individual recipients. Only valid if the installation has a mail server.
 * @param limit maximum number of emails to read in each state (pending and failed), oldest first
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
    WHERE state = 'failed' OR (created_at <= statement_timestamp() - ${GRACE_PERIOD} AND ${hasFailedAttempt})`;
};
