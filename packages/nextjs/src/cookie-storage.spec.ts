import { createClient, type AuthState } from '@gatehouse/js';
import { cookieStorage } from './cookie-storage.js';
import type { HydratedSession } from './hydrated-session.js';

const KEY = 'gatehouse.session';
const customer = { id: 'c', email: 'ada@example.com', firstName: null, lastName: null, emailVerified: true };

const session = (sessionId: string | null): HydratedSession => ({
  handlerPath: '/api/gatehouse',
  projectId: 'p',
  initialState: sessionId
    ? { status: 'signed_in', customer, sessionId }
    : { status: 'signed_out', customer: null },
  expiresIn: 3_600,
});

/** Returns a fake localStorage with a record. */
function storageWith(record: object | null) {
  const items = new Map(record ? [[KEY, JSON.stringify(record)]] : []);
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    record: () => JSON.parse(items.get(KEY) ?? 'null') as Record<string, unknown> | null,
  };
}

const firstRead = (sessionId: string | null, record: object | null) => {
  const storage = storageWith(record);
  const text = cookieStorage(session(sessionId), storage, 1_000).getItem(KEY) as string | null;
  expect(JSON.parse(text ?? 'null')).toEqual(storage.record());
  return storage.record();
};

it('provides the client with the session that the server rendered', async () => {
  const storage = { ...cookieStorage(session('s'), null, Date.now()), isShared: false };
  const client = createClient({ url: '/api/gatehouse', publishableKey: '', storage });
  const state = await new Promise<AuthState>((resolve) => void client.onAuthStateChange(resolve));
  expect(state).toEqual({ status: 'signed_in', customer, sessionId: 's' });
  expect(await client.getAccessToken()).toMatch(/^e30\.[\w-]+\.$/);
});

it('prefers the session in the cookies to a stored one, and preserves the sign-in order', () => {
  expect(firstRead('new', null)).toMatchObject({ epoch: 1_000, sid: 'new' });
  expect(firstRead('new', { epoch: 5_000, sid: 'old' })).toMatchObject({ epoch: 5_001, sid: 'new' });
  expect(firstRead('new', { epoch: 5_000, sid: 'old', ended: true })).not.toHaveProperty('ended');
  const same = { epoch: 5_000, sid: 'same', generation: 3, expiresAt: 1 };
  expect(firstRead('same', same)).toMatchObject({ epoch: 5_000, generation: 3, expiresAt: 3_601_000 });
});

it('signs out after a sign-out on the server or in another tab', () => {
  expect(firstRead(null, null)).toBeNull();
  const live = { epoch: 5, sid: 's', refreshToken: 'session.s', customer };
  expect(firstRead(null, live)).toEqual({ epoch: 5, sid: 's', ended: true });
  expect(firstRead('s', { epoch: 5, sid: 's', ended: true })).toEqual({ epoch: 5, sid: 's', ended: true });
});

it('returns values that the client and other tabs stored after the first read', () => {
  const storage = storageWith(null);
  const { getItem, setItem } = cookieStorage(session('s'), storage, 1_000);
  void getItem(KEY);
  setItem(KEY, '{"epoch":1,"sid":"t"}');
  expect(getItem(KEY)).toBe('{"epoch":1,"sid":"t"}');
  expect(storage.record()).toEqual({ epoch: 1, sid: 't' });
});
