import { MAX_ACTIVE_SESSIONS, surplusSessionCount } from './surplus-session-count.js';

describe('surplusSessionCount', () => {
  it.each([
    ['returns 0 below the limit', 0, 0],
    ['returns 0 when the new session reaches the limit', MAX_ACTIVE_SESSIONS - 1, 0],
    ['returns 1 at the limit', MAX_ACTIVE_SESSIONS, 1],
    ['returns the number of sessions above the limit', MAX_ACTIVE_SESSIONS + 7, 8],
    ['returns at most 100', 60_000, 100],
  ])('%s', (_, others, surplus) => {
    expect(surplusSessionCount(others)).toBe(surplus);
  });
});
