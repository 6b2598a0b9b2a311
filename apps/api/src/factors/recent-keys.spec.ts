import { RecentKeys } from './recent-keys.js';

it('accepts a key once until it expires, and evicts the oldest keys beyond the maximum', () => {
  const keys = new RecentKeys(60_000);
  expect([keys.add('a'), keys.add('b'), keys.add('a')]).toEqual([true, true, false]);
  for (let n = 0; n < 9_999; n++) keys.add(String(n));
  expect([keys.add('b'), keys.add('a')]).toEqual([false, true]);
  const expired = new RecentKeys(0);
  expect([expired.add('a'), expired.add('a')]).toEqual([true, true]);
});
