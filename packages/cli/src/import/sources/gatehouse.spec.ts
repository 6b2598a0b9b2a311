import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceRecord } from '../source.js';
import { gatehouse } from './gatehouse.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-own-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(name: string, content: string, map: string[] = []): Promise<SourceRecord[]> {
  const file = join(folder, name);
  writeFileSync(file, content);
  const records: SourceRecord[] = [];
  for await (const record of gatehouse.read([file], { values: {}, lists: { map } })) records.push(record);
  return records;
}

const entriesOf = ({ leftOut }: SourceRecord): string[] =>
  leftOut.map(({ field, reason }) => `${field}: ${reason}`);

it('reads CSV whose columns are fields, and reports the values that it leaves out', async () => {
  const lines = [
    'id;email;Plan;metadata;tier',
    '1;ada@example.com;pro;"{""a"":1}";2',
    '2;bob@example.com;;{;',
    '3;Byron; Ada',
    '4;eve@example.com;;"{""n"":12345678901234567890}";',
  ];
  const records = await read('customers.csv', lines.join('\r\n'), ['tier=metadata.tier']);
  expect(records.map((record) => [record.position, record.customer, entriesOf(record)])).toEqual([
    [
      'customers.csv:2',
      { id: '1', email: 'ada@example.com', metadata: { a: 1, tier: '2' } },
      ['Plan: No customer field has this name'],
    ],
    ['customers.csv:3', { id: '2', email: 'bob@example.com' }, ['metadata: The cell is not a JSON object']],
    ['customers.csv:4', null, [': The row has more or fewer cells than the header']],
    [
      'customers.csv:5',
      { id: '4', email: 'eve@example.com' },
      ['metadata.n: It contains an integer that a JSON number cannot represent'],
    ],
  ]);
  expect(records.map(({ sourceId }) => sourceId)).toEqual(['1', '2', null, '4']);
});

it('leaves out JSON metadata that the server would reject, and keeps the customer', async () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const lines = ['{"n":12345678901234567890}', `{"deep":${deep}}`].map(
    (metadata) => `{"email":"ada@example.com","metadata":${metadata},"externalId":"1"}`,
  );
  const records = await read('customers.ndjson', [...lines, '{"email":12345678901234567890}'].join('\n'));
  expect(records.map((record) => [record.customer, entriesOf(record)])).toEqual([
    [
      { email: 'ada@example.com', externalId: '1' },
      ['metadata.n: It contains an integer that a JSON number cannot represent'],
    ],
    [
      { email: 'ada@example.com', externalId: '1' },
      ['metadata.deep: Metadata is nested deeper than 19 levels'],
    ],
    [null, [': It contains an integer that a JSON number cannot represent']],
  ]);
});

it.each([
  ['email\n', ['plan=metadata.plan'], 'The files have no column plan.', 'Their columns: email.'],
  ['email,plan\n', ['plan=Plan'], 'Customers have no field Plan.', /email, firstName.*metadata\.<key>/],
  ['email,plan\n', ['plan'], '--map plan is not <column>=<field>.', null],
  ['mail\n', [], /the column email is missing$/, /^Its columns: mail\. Pass --map/],
  ['mail,email\n', ['mail=email'], /several columns are mapped to email$/, /^Its columns: mail, email/],
])('rejects the header %j with the --map options %j as a usage error', async (content, map, message, fix) => {
  const error = (await read('customers.csv', content, map).catch((reason: unknown) => reason)) as {
    message: string;
    fix: string | null;
  };
  expect(error).toMatchObject({ exitCode: 2 });
  expect(error.message).toMatch(message);
  expect(error.fix ?? '').toMatch(fix ?? /^$/);
});
