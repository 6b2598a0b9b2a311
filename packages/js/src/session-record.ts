import type { CustomerSummary, Tokens } from './types.js';

/** A customer's session with its newest tokens. */
export interface LiveRecord {
  /** Orders the sign-ins in all tabs: the sign-in's time, or a later number. */
  epoch: number;
  /** The session's id: the claim `sid` in its access tokens. */
  sid: string;
  /** Number of refreshes since the sign-in. Two records with the same number have the same refresh token. */
  generation: number;
  accessToken: string;
  refreshToken: string;
  /** The time at which the access token expires, in milliseconds since 1970. */
  expiresAt: number;
  /** The time at which the refresh token was obtained, in milliseconds since 1970. */
  obtainedAt: number;
  /** The customer at the last refresh. */
  customer: CustomerSummary;
}

/** A session's end. It is stored in place of the session, so that no outdated copy comes back. */
export interface EndedRecord {
  epoch: number;
  sid: string;
  ended: true;
  /** The error code that ended the session; undefined after a sign-out. */
  reason?: string | undefined;
}

/** The last session's stored state. */
export type SessionRecord = LiveRecord | EndedRecord;

/** Returns true if a record describes an active session. */
export const isLive = (record: SessionRecord | null): record is LiveRecord =>
  record !== null && !('ended' in record);

/**
 * Returns true if the first record replaces the second one. A later sign-in replaces an earlier one; within a
 * session, its end replaces everything, then a later refresh, then a later access token.
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

/** Returns the stored record, or null if it is missing or invalid. */
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

/** Returns the session id in an access token. React Native has no `atob`. */
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
 * Returns the record fields that new tokens determine. The times are in milliseconds since 1970.
 * @param sentAt the request's time: a page that was frozen before it read the response must not overestimate the
 *   validity
 */
export const tokenFields = (
  { accessToken, refreshToken, expiresIn }: Tokens,
  sentAt: number,
  receivedAt: number,
) => ({ accessToken, refreshToken, expiresAt: sentAt + expiresIn * 1_000, obtainedAt: receivedAt });
