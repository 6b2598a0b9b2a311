import { isUuid } from '@gatehouse/domain';
import { newId, secureDigits } from './random.js';

it('returns increasing UUIDv7s, even within a millisecond', () => {
  const ids = Array.from({ length: 5_000 }, newId);
  expect(ids.every((id) => isUuid(id) && id[14] === '7')).toBe(true);
  expect([...new Set(ids)].sort()).toEqual(ids);
});

it('returns the requested number of digits, with leading zeros', () => {
  const codes = Array.from({ length: 2_000 }, () => secureDigits(3));
  expect(codes.every((code) => /^\d{3}$/.test(code))).toBe(true);
  expect(codes.some((code) => code.startsWith('0'))).toBe(true);
});
