import { rejectRepeatedIds } from './repeated-ids.js';
import { reasons } from './reasons.js';
import type { SourceRecord } from './source.js';

it('rejects a user with the id of an earlier user', async () => {
  const customers = [
    { externalId: '1', email: 'ada@example.com' },
    { externalId: '2', email: 'bob@example.com' },
    { externalId: '1', email: 'eve@example.com' },
    { id: '1', email: 'dan@example.com' },
    { email: 'fay@example.com' },
    { email: 'gus@example.com' },
  ];
  async function* read(): AsyncGenerator<SourceRecord> {
    for (const customer of customers) yield { position: '', sourceId: null, customer, leftOut: [] };
  }
  const sent: unknown[] = [];
  for await (const { customer, leftOut } of rejectRepeatedIds(read())) sent.push(customer?.email ?? leftOut);
  expect(sent).toEqual([
    'ada@example.com',
    'bob@example.com',
    [{ field: 'id', ...reasons.repeatedId }],
    [{ field: 'id', ...reasons.repeatedId }],
    'fay@example.com',
    'gus@example.com',
  ]);
});
