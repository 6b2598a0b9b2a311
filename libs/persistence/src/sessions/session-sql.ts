import { defaultSettings, type AuthenticationMethod } from '@gatehouse/domain';
import { arrayOf, nullable, text, textOf, timestamptz, uuid } from '../sql/statements.js';

/** The session columns under the names in `SessionRecord`, for a table aliased `s`. */
export const sessionColumns = `
  s.id, s.created_at AS "createdAt", coalesce(s.rotated_at, s.created_at) AS "lastUsedAt",
  least(s.idle_expires_at, s.absolute_expires_at) AS "expiresAt", s.ip, s.user_agent AS "userAgent"`;

/** A session's row with the columns in `sessionColumns`. */
export const sessionRow = {
  id: uuid,
  createdAt: timestamptz,
  lastUsedAt: timestamptz,
  expiresAt: timestamptz,
  ip: nullable(text),
  userAgent: nullable(text),
};

/** SQL for the condition that a session `s` is active. */
export const isActiveSession = `s.revoked_at IS NULL AND s.idle_expires_at > now() AND s.absolute_expires_at > now()`;

/** The method and time with which the session's customer last proved their identity, for a table aliased `s`. */
export const proofColumns = 's.amr, coalesce(s.auth_time, s.created_at) AS "authTime"';
export const proofRow = { amr: arrayOf(textOf<AuthenticationMethod>()), authTime: timestamptz };

/**
 * SQL for the condition that the last identity proof in a session `s` of the customer `c` no longer suffices to
 * refresh it: a newer one or a second factor has become required. A session that a sign-in token opened needs no
 * second factor, and its proof is as old as the session: the customer gave none, which `auth_time` states until they
 * do.
 */
export const needsProof = `(
  coalesce(CASE WHEN 'support' = ANY (s.amr) THEN greatest(s.auth_time, s.created_at)
    ELSE coalesce(s.auth_time, s.created_at) END < c.proof_required_at, false)
  OR NOT s.amr && '{mfa,support}' AND (c.mfa = 'required' OR coalesce(p.mfa_required_at
    + coalesce((p.settings ->> 'mfaGraceDays')::int, ${defaultSettings.mfaGraceDays}) * interval '1 day' <= now(), false)))`;
