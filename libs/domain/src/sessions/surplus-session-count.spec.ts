import { MAX_ACTIVE_SESSIONS, surplusSessionCount } from './surplus-session-count.js';

describe('surplusSessions', () => {
  it.each([
    ['none before the limit', 0, 0],
    ['none when the new one is the last that fits', MAX_ACTIVE_SESSIONS - 1, 0],
    ['one when all places are taken', MAX_ACTIVE_SESSIONS, 1],
    ['as many as there are too many', MAX_ACTIVE_SESSIONS + 7, 8],
    ['a bounded number of very many', 60_000, 100],
  ])('%s', (_, others, surplus) => {
    expect(surplusSessionCount(others)).toBe(surplus);
  });
});
