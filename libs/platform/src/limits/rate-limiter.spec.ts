import type { Logger } from '../logging/logger.js';
import { RateLimiter } from './rate-limiter.js';

const policy = { name: 'login', quota: 3, windowSeconds: 60 };

describe('RateLimiter without Redis', () => {
  const limiter = new RateLimiter(null, {} as Logger);
  const taken = async (count: number, key: string) => {
    const verdicts: (number | null)[] = [];
    for (let index = 0; index < count; index += 1) verdicts.push(await limiter.consume(policy, key));
    return verdicts;
  };

  it('RL-07: lets the quota through, then says the seconds until the window ends', async () => {
    const [first, second, third, fourth] = await taken(4, 'a');
    expect([first, second, third]).toEqual([null, null, null]);
    expect(Number.isInteger(fourth) && fourth! >= 1 && fourth! <= 60).toBe(true);
  });

  it('counts every key and every policy by itself', async () => {
    await taken(4, 'b');
    await expect(taken(1, 'c')).resolves.toEqual([null]);
    await expect(limiter.consume({ ...policy, name: 'register' }, 'b')).resolves.toBeNull();
  });
});
