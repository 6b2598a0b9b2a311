// Raw SQL: identity counters that are computed from events.
import { identityEventTypes, signInFailureReasons } from '@gatehouse/domain';

/** Condition that event `e` is counted, identical to the index condition in `events_identity`. */
export const isIdentityEvent = `e.type IN (${identityEventTypes.map((type) => `'${type}'`).join(', ')})`;

/**
 * Returns SQL for the part of an event body that follows a member's last occurrence, or null if it does not occur.
 * The body is not cast to JSON, because a single body that PostgreSQL rejects would stop the count. A regular
 * expression would take five times as long.
 */
const textAfter = (member: string): string =>
  `CASE WHEN strpos(e.body, '${member}') > 0 THEN split_part(e.body, '${member}', -1) END`;

/**
 * Columns of event `e` from which its counters are derived. A JSON string cannot contain `"reason":`, and the
 * customer's members come first, so the last occurrence is the event's own member.
 */
export const identityEventColumns = `e.project_id, e.created_at, e.type,
  CASE WHEN e.type = 'login.failed' THEN split_part(${textAfter('"reason":"')}, '"', 1) END AS reason,
  CASE WHEN e.type = 'login.succeeded' THEN split_part(${textAfter('"methods":[')}, ']', 1) END AS methods,
  CASE WHEN e.type = 'login.succeeded'
    THEN substring(${textAfter('"provider":')} FROM '^"([^"]*)"[}][}]$') END AS provider`;

const methodSql = `CASE
  WHEN provider IS NOT NULL OR methods LIKE '%"fed"%' THEN 'provider'
  WHEN methods LIKE '%"pwd"%' THEN 'password'
  WHEN methods LIKE '%"email"%' THEN 'email_code'
  WHEN methods ~ '"(hwk|swk)"' THEN 'passkey'
  WHEN methods LIKE '%"support"%' THEN 'sign_in_token'
  ELSE 'other' END`;

const reasonSql = `CASE WHEN reason = ANY ('{${signInFailureReasons.join(',')}}') THEN reason ELSE 'other' END`;

/**
 * Returns SQL for the counters that events increment, one row for each event and counter.
 * @param events FROM item with `identityEventColumns`
 */
export const identityCountersSql = (events: string): string => `
  ${events} CROSS JOIN LATERAL (VALUES
    (CASE type WHEN 'customer.created' THEN 'sign_up' WHEN 'customer.locked' THEN 'lockout'
      WHEN 'login.failed' THEN 'failure' ELSE 'sign_in' END,
     CASE type WHEN 'login.failed' THEN ${reasonSql} WHEN 'login.succeeded' THEN ${methodSql} ELSE '' END),
    (CASE WHEN provider IS NOT NULL THEN 'provider' END, provider),
    (CASE WHEN methods ~ '"(otp|hwk|swk|mfa)"' THEN 'second_factor' END, '')
  ) counter (metric, label)`;
