import { RateLimiter } from './rate-limiter.js';

const policy = { name: 'login', quota: 3, windowSeconds: 60 };

it('RL-06, RL-07: allows the quota of each policy for each key without Redis, then returns the wait', async () => {
  const limiter = new RateLimiter(null);
  const consume = (key: string, name = 'login') => limiter.consume({ ...policy, name }, key);
  expect([await consume('a'), await consume('a'), await consume('a')]).toEqual([null, null, null]);
  const seconds = await consume('a');
  expect(Number.isInteger(seconds) && seconds! >= 1 && seconds! <= 60).toBe(true);
  expect([await consume('b'), await consume('a', 'register')]).toEqual([null, null]);
});

it('applies a changed quota to the count of the current window', async () => {
  const limiter = new RateLimiter(null);
  const consume = (quota: number) => limiter.consume({ ...policy, quota }, 'a');
  expect([await consume(1), await consume(2)]).toEqual([null, null]);
  expect(await consume(1)).toEqual(expect.any(Number));
  expect(await consume(4)).toBeNull();
});

it('drops the least recently counted keys beyond 50,000', async () => {
  const limiter = new RateLimiter(null);
  const count = async (key: string) => (await limiter.count(policy, key)).count;
  await count('first');
  await count('second');
  for (let number = 0; number < 49_998; number += 1) await limiter.count(policy, `other ${number}`);
  expect(await count('first')).toBe(2);
  await count('one more');
  expect([await count('first'), await count('second')]).toEqual([3, 1]);
});
