import { isUuid } from '#domain';
import { newId, randomFraction, secureBytes } from './random.js';

describe('chance', () => {
  it('makes ids that are UUIDv7 and grow, also within a millisecond', () => {
    const ids = Array.from({ length: 5_000 }, newId);
    expect(ids.every(isUuid)).toBe(true);
    expect(ids.every((id) => id[14] === '7')).toBe(true);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('makes as many bytes as asked for, and never the same', () => {
    expect(secureBytes(32)).toHaveLength(32);
    expect(secureBytes(32).equals(secureBytes(32))).toBe(false);
  });

  it('makes fractions of [0, 1)', () => {
    for (let count = 0; count < 1_000; count += 1) {
      const fraction = randomFraction();
      expect(fraction >= 0 && fraction < 1).toBe(true);
    }
  });
});
