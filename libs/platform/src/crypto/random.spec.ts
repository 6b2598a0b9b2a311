import { isUuid } from '@gatehouse/domain';
import { newId } from './random.js';

it('newId returns increasing UUIDv7, also within a millisecond', () => {
  const ids = Array.from({ length: 5_000 }, newId);
  expect(ids.every((id) => isUuid(id) && id[14] === '7')).toBe(true);
  expect([...new Set(ids)].sort()).toEqual(ids);
});
