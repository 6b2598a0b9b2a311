import type { SourceRecord } from './source.js';
import { withoutBan } from './without-ban.js';

const record = (customer: object | null): SourceRecord => ({
  ...{ position: '1', sourceId: '1', customer: customer as SourceRecord['customer'], leftOut: [] },
});
const ada = { email: 'ada@example.com' };
const banned = { ...ada, disabledAt: '2026-01-01T00:00:00.000Z' };

it.each<[string, SourceRecord, object | null]>([
  ['enables a customer without a ban', record(ada), { ...ada, disabledAt: null }],
  ['keeps a ban', record(banned), banned],
  ['changes nothing if the ban is unknown', { ...record(ada), isBanUnknown: true }, ada],
  ['ignores a record without a customer', record(null), null],
])('handles the ban: %s', (_, before, expected) => expect(withoutBan(before).customer).toEqual(expected));
