import { fitMetadata, isMetadata, METADATA_BYTES } from './metadata.js';

const text = (bytes: number): string => 'x'.repeat(bytes);

describe('fitMetadata', () => {
  it('keeps the keys that fit, in their order, and returns the others', () => {
    const value = { first: 1, big: text(9_000), plan: 'pro', 'ü "': text(8_000), last: text(500) };
    const { kept, dropped } = fitMetadata(value);
    expect(Object.keys(kept)).toEqual(['first', 'plan', 'ü "']);
    expect(dropped).toEqual([
      { key: 'big', code: 'too_long' },
      { key: 'last', code: 'too_long' },
    ]);
  });

  it('fills the limit exactly', () => {
    const overhead = '{"a":1,"ü":""}'.length + 1;
    const value = { a: 1, ü: text(METADATA_BYTES - overhead) };
    expect(fitMetadata(value)).toEqual({ kept: value, dropped: [] });
    expect(isMetadata(value)).toBe(true);
    const larger = { a: 1, ü: text(METADATA_BYTES - overhead + 1) };
    expect(fitMetadata(larger)).toEqual({ kept: { a: 1 }, dropped: [{ key: 'ü', code: 'too_long' }] });
    expect(isMetadata(larger)).toBe(false);
  });

  it('keeps at most 50 keys', () => {
    const value = Object.fromEntries(Array.from({ length: 52 }, (_, index) => [`k${index}`, index]));
    const { kept, dropped } = fitMetadata(value);
    expect(Object.keys(kept)).toHaveLength(50);
    expect(dropped.map(({ key }) => key)).toEqual(['k50', 'k51']);
  });

  it('drops keys with a problem, and keeps other keys instead', () => {
    const value = { bad: text(9_000), good: text(8_000) };
    const fitted = fitMetadata(value, (key) => (key === 'bad' ? 'invalid' : null));
    expect(fitted).toEqual({ kept: { good: value.good }, dropped: [{ key: 'bad', code: 'invalid' }] });
  });
});
