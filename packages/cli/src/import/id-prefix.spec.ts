import { withIdPrefix } from './id-prefix.js';
import { reasons } from './reasons.js';
import type { SourceRecord } from './source.js';

const record = (externalId: unknown): SourceRecord => ({
  ...{ position: '1', sourceId: '1', leftOut: [] },
  customer: { email: 'ada@example.com', externalId } as SourceRecord['customer'],
});

it.each<[string, SourceRecord, SourceRecord]>([
  ['adds the prefix', record('1'), record('shop-1')],
  ['adds nothing without an id', record(''), record('')],
  ['leaves an id of the wrong type to Gatehouse', record(1), record(1)],
  [
    'leaves out an id that becomes too long',
    record('1'.repeat(251)),
    {
      ...record('1'),
      customer: { email: 'ada@example.com' },
      leftOut: [{ field: 'externalId', ...reasons.longId }],
    },
  ],
  [
    'ignores a record without a customer',
    { ...record('1'), customer: null },
    { ...record('1'), customer: null },
  ],
])('handles the id of a record: %s', (_, before, expected) =>
  expect(withIdPrefix(before, 'shop-')).toEqual(expected),
);
