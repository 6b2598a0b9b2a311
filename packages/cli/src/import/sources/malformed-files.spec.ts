import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportSource, SourceRecord } from '../source.js';
import { reasons } from '../reasons.js';
import { clerk } from './clerk.js';
import { cognito } from './cognito.js';
import { keycloak } from './keycloak.js';
import { supabase } from './supabase.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-files-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(source: ImportSource, name: string, content: string): Promise<SourceRecord[]> {
  const file = join(folder, name);
  writeFileSync(file, content);
  const records: SourceRecord[] = [];
  for await (const record of source.read([file], { values: {} })) records.push(record);
  return records;
}

it.each([
  ['clerk', clerk, 'id,primary_email_address'],
  ['cognito', cognito, 'cognito:username,email'],
])('reports malformed CSV rows from %s', async (_, source, header) => {
  const records = await read(source, 'users.csv', `${header}\n1,ada@example.com,\n2,bob@example.com\n`);
  expect(records).toMatchObject([
    { position: 'users.csv:2', customer: null, leftOut: [{ field: '', ...reasons.invalidRecord }] },
    { position: 'users.csv:3', customer: { email: 'bob@example.com' } },
  ]);
});

it('reports malformed JSON without values from the file', async () => {
  for (const content of ['{"users":[{"secretData" "secret"}]}', '{"users":[{"secretData":"secret']) {
    const error: unknown = await read(keycloak, 'realm.json', content).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ exitCode: 1, message: expect.stringMatching(/JSON$/) });
    expect(String(error)).not.toMatch(/secret/i);
  }
});

it('rejects identities from an old Supabase version without provider_id', async () => {
  const identities = 'id,user_id,provider,email\n1,2,google,ada@example.com\n';
  await expect(read(supabase, 'identities.csv', identities)).rejects.toMatchObject({ exitCode: 2 });
});
