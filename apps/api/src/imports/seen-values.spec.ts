import { UniqueValues } from './seen-values.js';

describe('UniqueValues', () => {
  it('finds all values that were added, and no others', () => {
    const values = new UniqueValues(() => undefined);
    const keys = Array.from({ length: 20_000 }, (_, index) => `email person-${index}@example.com`);
    expect(values.has(keys[0]!)).toBe(false);
    for (const key of keys) {
      values.add(key);
      values.add(key);
    }
    expect(keys.filter((key) => !values.has(key))).toEqual([]);
    expect(keys.filter((key) => values.has(`other ${key}`))).toEqual([]);
  });

  it('reserves the memory that it uses, and fails when none is left', () => {
    let bytes = 0;
    const values = new UniqueValues((more) => {
      if (bytes + more > 2 ** 20) throw new Error('overloaded');
      bytes += more;
    });
    const addAll = () => {
      for (let index = 0; ; index += 1) values.add(`${index}`);
    };
    expect(addAll).toThrow('overloaded');
    expect(bytes).toBeGreaterThan(2 ** 19 - 2 ** 16);
  });
});
