import type { CustomerSummary, Tokens } from './types.js';

/** A customer's session with its newest tokens. */
export interface LiveRecord {
  /** Orders the sign-ins of all tabs. It is the sign-in time, or the previous epoch plus 1 if that is higher. */
  epoch: number;
  /** Id of the session: the `sid` claim of its access tokens. */
  sid: string;
  /** Number of refreshes since the sign-in. Two records with the same number have the same refresh token. */
  generation: number;
  accessToken: string;
  refreshToken: string;
  /** When the access token expires, in milliseconds since 1970. */
  expiresAt: number;
  /** When the refresh token was received, in milliseconds since 1970. */
  obtainedAt: number;
  /** The customer as of the last refresh. */
  customer: CustomerSummary;
}

/** The end of a session. It is stored in place of the session, so that an outdated copy cannot restore it. */
export interface EndedRecord {
  epoch: number;
  sid: string;
  ended: true;
  /** The error code that ended the session. Undefined after a sign-out. */
  reason?: string | undefined;
}

/** The last session's stored state. */
export type SessionRecord = LiveRecord | EndedRecord;

/** Returns true if a record describes an active session. */
export const isLive = (record: SessionRecord | null): record is LiveRecord =>
  record !== null && !('ended' in record);

/**
 * Returns true if the first record replaces the second one. A later sign-in replaces an earlier one. Within a session,
 * its end takes precedence, then a later refresh, then a later access token.
 */
export function isNewer(first: SessionRecord, second: SessionRecord | null): boolean {
  if (!second) return true;
  if (first.epoch !== second.epoch) return first.epoch > second.epoch;
  if (first.sid !== second.sid) return first.sid > second.sid;
  if (!isLive(first)) return isLive(second);
  if (!isLive(second)) return false;
  if (first.generation !== second.generation) return first.generation > second.generation;
  return first.expiresAt > second.expiresAt;
}

/** Parses a stored record. Returns null if it is missing or invalid. */
export function parseRecord(text: string | null): SessionRecord | null {
  try {
    const record = JSON.parse(text ?? 'null') as Partial<LiveRecord & EndedRecord> | null;
    const isRecord = typeof record?.epoch === 'number' && typeof record.sid === 'string';
    return isRecord && (record.ended || record.refreshToken) ? (record as SessionRecord) : null;
  } catch {
    return null;
  }
}

/** The base64url alphabet (RFC 4648). */
export const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Returns the session id from an access token. React Native has no `atob`. */
export function sessionIdOf(accessToken: string): string {
  let bits = 0;
  let length = 0;
  let json = '';
  for (const char of accessToken.split('.')[1] ?? '') {
    bits = ((bits << 6) | base64Alphabet.indexOf(char)) & 0xffff;
    length += 6;
    if (length < 8) continue;
    length -= 8;
    json += String.fromCharCode((bits >> length) & 255);
  }
  return (JSON.parse(json) as { sid: string }).sid;
}

/**
 * Returns the record fields for new tokens. All times are in milliseconds since 1970.
 * @param sentAt when the request was sent. Expiry is counted from then, because a page may be frozen before it reads
 *   the response
 */
export const tokenFields = (
  { accessToken, refreshToken, expiresIn }: Tokens,
  sentAt: number,
  receivedAt: number,
) => ({ accessToken, refreshToken, expiresAt: sentAt + expiresIn * 1_000, obtainedAt: receivedAt });
