import type { ClientStorage } from '@gatehouse/js';
import type { HydratedSession } from './hydrated-session.js';
import { placeholderRefreshToken, unsignedToken } from './placeholder-tokens.js';

/**
 * The record that `@gatehouse/js` stores for a session. Contains placeholders, because the tokens are in the cookies.
 */
interface StoredRecord {
  epoch: number;
  sid: string;
  ended?: true;
}

/**
 * Returns the storage for the client on a page. The first read returns the session that the server rendered; later
 * reads and other tabs use the values that the client has stored since.
 * @param storage localStorage, or null if it is blocked
 * @param now milliseconds since 1970
 */
export function cookieStorage(
  session: HydratedSession,
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null,
  now: number,
): ClientStorage {
  let memory: string | null = null;
  let isRead = false;
  const read = (key: string): string | null => (storage ? storage.getItem(key) : memory);
  const write = (key: string, value: string): void => {
    if (storage) storage.setItem(key, value);
    else memory = value;
  };
  return {
    isShared: true,
    getItem: (key) => {
      if (isRead) return read(key);
      isRead = true;
      const record = reconcile(parseRecord(read(key)), session, now);
      if (record) write(key, JSON.stringify(record));
      return record && JSON.stringify(record);
    },
    setItem: write,
    removeItem: (key) => {
      if (storage) storage.removeItem(key);
      else memory = null;
    },
  };
}

/** Returns the record for the session that the server rendered. The server's session state takes precedence. */
function reconcile(
  stored: StoredRecord | null,
  { initialState, expiresIn }: HydratedSession,
  now: number,
): object | null {
  if (initialState.status === 'signed_out')
    return stored && { epoch: stored.epoch, sid: stored.sid, ended: true };
  const { sessionId: sid, customer } = initialState;
  const isSame = stored?.sid === sid;
  // Another tab has signed out since the server rendered this page.
  if (isSame && stored.ended) return stored;
  const live = {
    generation: 0,
    accessToken: unsignedToken({ sid, jti: '' }),
    refreshToken: placeholderRefreshToken(sid),
    obtainedAt: now,
    ...(isSame ? stored : { epoch: Math.max(now, (stored?.epoch ?? 0) + 1), sid }),
  };
  return { ...live, expiresAt: now + expiresIn * 1_000, customer };
}

function parseRecord(text: string | null): StoredRecord | null {
  try {
    const record = JSON.parse(text ?? 'null') as Partial<StoredRecord> | null;
    const isRecord = typeof record?.epoch === 'number' && typeof record.sid === 'string';
    return isRecord ? (record as StoredRecord) : null;
  } catch {
    return null;
  }
}
