import { defaultSettings, type AuthenticationMethod } from '@gatehouse/domain';
import { arrayOf, nullable, text, textOf, timestamptz, uuid } from '../sql/statements.js';

/** Columns of session `s`, named as in `SessionRecord`. */
export const sessionColumns = `
  s.id, s.created_at AS "createdAt", coalesce(s.rotated_at, s.created_at) AS "lastUsedAt",
  least(s.idle_expires_at, s.absolute_expires_at) AS "expiresAt", s.ip, s.user_agent AS "userAgent"`;

/** Row map for `sessionColumns`. */
export const sessionRow = {
  id: uuid,
  createdAt: timestamptz,
  lastUsedAt: timestamptz,
  expiresAt: timestamptz,
  ip: nullable(text),
  userAgent: nullable(text),
};

/** Condition that session `s` is active. */
export const isActiveSession = `s.revoked_at IS NULL AND s.idle_expires_at > now() AND s.absolute_expires_at > now()`;

/** Authentication methods in session `s`, and when the customer last proved their identity. */
export const proofColumns = 's.amr, coalesce(s.auth_time, s.created_at) AS "authTime"';
export const proofRow = { amr: arrayOf(textOf<AuthenticationMethod>()), authTime: timestamptz };

/**
 * Condition that session `s` of customer `c` in project `p` cannot be refreshed without a newer proof of identity or
 * a second factor. A session that was started with a sign-in token needs no second factor. Until its customer gives a
 * proof, `auth_time` is the epoch, and the time at which the session was created counts instead.
 */
export const needsProof = `(
  coalesce(CASE WHEN 'support' = ANY (s.amr) THEN greatest(s.auth_time, s.created_at)
    ELSE coalesce(s.auth_time, s.created_at) END < c.proof_required_at, false)
  OR NOT s.amr && '{mfa,support}' AND (c.mfa = 'required' OR coalesce(p.mfa_required_at
    + coalesce((p.settings ->> 'mfaGraceDays')::int, ${defaultSettings.mfaGraceDays}) * interval '1 day' <= now(), false)))`;
