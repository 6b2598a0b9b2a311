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

/** Each system's files, with a user that has a phone number, or nothing, instead of an email address. */
const files: Record<string, Record<string, string>> = {
  auth0: { 'users.json': JSON.stringify({ user_id: 'sms|1', phone_number: phone, identities: [] }) },
  'better-auth': {
    'user.csv': `id,email,emailVerified,phoneNumber\n1,,false,${phone}\n`,
    'account.csv': 'accountId,providerId,userId\n',
  },
  clerk: { 'users.csv': `id,primary_email_address,primary_phone_number\nuser_1,,${phone}\n` },
  cognito: {
    'users.json': JSON.stringify({
      Users: [{ Username: '1', Attributes: [{ Name: 'phone_number', Value: phone }] }],
    }),
  },
  firebase: { 'users.json': JSON.stringify({ users: [{ localId: '1', phoneNumber: phone }] }) },
  gatehouse: { 'customers.json': JSON.stringify({ externalId: '1', metadata: { phone } }) },
  keycloak: { 'realm.json': JSON.stringify({ users: [{ id: '1', attributes: { phone: [phone] } }] }) },
  kratos: { 'identities.json': JSON.stringify([{ id: '1', traits: { phone }, credentials: {} }]) },
  logto: { 'users.json': JSON.stringify([{ id: '1', primaryEmail: null, primaryPhone: phone }]) },
  supabase: { 'users.csv': `id,email,phone\n1,null,${phone}\n` },
  supertokens: {
    'users.csv': 'user_id,primary_or_recipe_user_id,recipe_id\n1,1,passwordless\n',
    'passwordless.csv': `user_id,email,phone_number\n1,,${phone}\n`,
  },
  wordpress: {
    'users.csv': 'ID,user_login,user_pass,user_email\n1,ada,,\n',
    'meta.csv': 'user_id,meta_key,meta_value\n1,nickname,ada\n',
  },
};

it('covers each system', () => {
  expect(Object.keys(files).sort()).toEqual(sources.map(({ name }) => name).sort());
});

it.each(sources.map((source) => [source.name, source] as const))(
  'counts and reports users from %s without an email address',
  async (system, source) => {
    const hashConfig = join(folder, 'hash-config.txt');
    const paths = Object.entries(files[system]!).map(([name, content]) => {
      const path = join(folder, `${system}-${name}`);
      writeFileSync(path, content);
      return path;
    });
    writeFileSync(
      hashConfig,
      'algorithm: SCRYPT, base64_signer_key: AAAA, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14',
    );
    const report = new ImportReport(null);
    for await (const record of source.read(paths, { values: { hashConfig } })) await report.addRecord(record);
    expect([report.notSent, report.withoutEmail]).toEqual([1, 1]);
    expect(report.counts).toContainEqual({
      result: 'not_sent',
      field: 'email',
      count: 1,
      ...reasons.noEmail,
    });
  },
);
