import type { GatehouseApi } from './gatehouse-api.js';
import { createRefresher, type Refreshed } from './session-refresher.js';

/** Creates a refresher with a fake API that rotates `name.1` to `name.2` and so on. */
function setUp() {
  const used: string[] = [];
  const state = { now: 0, status: 200 };
  const api: GatehouseApi = async ({ body }) => {
    const { refreshToken } = JSON.parse(body!) as { refreshToken: string };
    used.push(refreshToken);
    const [name, generation] = refreshToken.split('.');
    const tokens = { accessToken: '', refreshToken: `${name}.${Number(generation) + 1}`, expiresIn: 3_600 };
    const text = JSON.stringify(state.status === 200 ? { tokens, customer: {} } : { code: 'overloaded' });
    return { response: new Response(null, { status: state.status }), text };
  };
  const entries = new Map<string, never>();
  const refresher = createRefresher({ now: () => state.now }, api, entries);
  const refresh = async (token: string): Promise<string> =>
    tokenOf(await refresher.refresh(token, new Headers()));
  return { used, state, entries, refresher, refresh };
}

const tokenOf = (refreshed: Refreshed): string =>
  refreshed.status === 'refreshed' ? refreshed.tokens.refreshToken : refreshed.status;

it('returns the newest tokens to requests that arrive with an earlier refresh token', async () => {
  const { used, state, refresh } = setUp();
  expect(await Promise.all([refresh('a.1'), refresh('a.1')])).toEqual(['a.2', 'a.2']);
  state.now += 9_000;
  expect(await refresh('a.2')).toBe('a.3');
  expect([await refresh('a.1'), await refresh('a.2')]).toEqual(['a.3', 'a.3']);
  expect(used).toEqual(['a.1', 'a.2']);
});

it('removes results after ten seconds, and when their session has ended', async () => {
  const { used, state, entries, refresher, refresh } = setUp();
  await refresh('a.1');
  state.now += 10_000;
  await refresh('b.1');
  expect([...entries.keys()]).toEqual(['b.1']);
  refresher.forget('b.2');
  await refresh('b.1');
  expect(used).toEqual(['a.1', 'b.1', 'b.1']);
});

it('does not cache failures', async () => {
  const { used, state, refresh } = setUp();
  state.status = 503;
  expect(await Promise.all([refresh('a.1'), refresh('a.1')])).toEqual(['unavailable', 'unavailable']);
  state.status = 200;
  expect(await refresh('a.1')).toBe('a.2');
  expect(used).toEqual(['a.1', 'a.1']);
});
