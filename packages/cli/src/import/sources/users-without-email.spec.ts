import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImportReport } from '../import-report.js';
import { reasons } from '../reasons.js';
import { sources } from '../sources.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-phones-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const phone = '+15550100';

/** For each system a file with a user who has only a phone number. */
const files: Record<string, [name: string, content: string]> = {
  auth0: ['users.json', JSON.stringify({ user_id: 'sms|1', phone_number: phone, identities: [] })],
  clerk: ['users.csv', `id,primary_email_address,primary_phone_number\nuser_1,,${phone}\n`],
  cognito: [
    'users.json',
    JSON.stringify({ Users: [{ Username: '1', Attributes: [{ Name: 'phone_number', Value: phone }] }] }),
  ],
  firebase: ['users.json', JSON.stringify({ users: [{ localId: '1', phoneNumber: phone }] })],
  gatehouse: ['customers.json', JSON.stringify({ externalId: '1', metadata: { phone } })],
  keycloak: ['realm.json', JSON.stringify({ users: [{ id: '1', attributes: { phone: [phone] } }] })],
  supabase: ['users.csv', `id,email,phone\n1,null,${phone}\n`],
};

it('has a file for each system', () => {
  expect(Object.keys(files).sort()).toEqual(sources.map(({ name }) => name).sort());
});

it.each(sources.map((source) => [source.name, source] as const))(
  'counts and names users of %s who have no email address',
  async (system, source) => {
    const [name, content] = files[system]!;
    const [path, hashConfig] = [join(folder, `${system}-${name}`), join(folder, 'hash-config.txt')];
    writeFileSync(path, content);
    writeFileSync(
      hashConfig,
      'algorithm: SCRYPT, base64_signer_key: AAAA, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14',
    );
    const report = new ImportReport(null);
    for await (const record of source.read([path], { values: { hashConfig } }))
      await report.addRecord(record);
    expect([report.notSent, report.withoutEmail]).toEqual([1, 1]);
    expect(report.counts).toContainEqual({
      result: 'not_sent',
      field: 'email',
      count: 1,
      ...reasons.noEmail,
    });
  },
);
