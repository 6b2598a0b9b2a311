import { isUuid } from '@gatehouse/domain';
import { newId } from './random.js';

it('ids are UUIDv7 that grow, also within a millisecond', () => {
  const ids = Array.from({ length: 5_000 }, newId);
  expect(ids.every((id) => isUuid(id) && id[14] === '7')).toBe(true);
  expect([...new Set(ids)].sort()).toEqual(ids);
});
