import { MAX_ACTIVE_SESSIONS, surplusSessionCount } from './surplus-session-count.js';

describe('surplusSessionCount', () => {
  it.each([
    ['is 0 below the limit', 0, 0],
    ['is 0 when the new session reaches the limit', MAX_ACTIVE_SESSIONS - 1, 0],
    ['is 1 at the limit', MAX_ACTIVE_SESSIONS, 1],
    ['is the number of sessions above the limit', MAX_ACTIVE_SESSIONS + 7, 8],
    ['is capped', 60_000, 100],
  ])('%s', (_, others, surplus) => {
    expect(surplusSessionCount(others)).toBe(surplus);
  });
});
