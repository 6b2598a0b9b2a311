import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceRecord } from '../source.js';
import { clerk } from './clerk.js';
import { cognito } from './cognito.js';

it.each([
  [clerk, 'id,primary_email_address'],
  [cognito, 'cognito:username,email'],
])('reports rows of CSV that are malformed: %#', async (source, header) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-rows-'));
  const file = join(folder, 'users.csv');
  writeFileSync(file, `${header}\n1,ada@example.com,\n2,bob@example.com\n`);
  const records: SourceRecord[] = [];
  for await (const record of source.read([file], { values: {} })) records.push(record);
  rmSync(folder, { recursive: true });
  expect(records.map(({ position, customer, leftOut }) => [position, customer?.email, leftOut[0]])).toEqual([
    ['users.csv:2', undefined, { field: '', reason: 'The record is not in the format of this export' }],
    ['users.csv:3', 'bob@example.com', source === cognito ? expect.anything() : undefined],
  ]);
});
