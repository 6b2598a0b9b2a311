import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceRecord } from '../source.js';
import { withoutBan } from '../without-ban.js';
import { clerk } from './clerk.js';
import { convertClerkUser } from './clerk-user.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-clerk-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function readFiles(
  files: Record<string, string>,
): Promise<{ records: SourceRecord[]; notes: string[] }> {
  const paths = Object.keys(files).map((name) => join(folder, name));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const [records, notes]: [SourceRecord[], string[]] = [[], []];
  const note = async (text: string) => void notes.push(text);
  for await (const record of clerk.read(paths, { values: {}, note })) records.push(record);
  return { records, notes };
}

const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

const csv = (...indexes: number[]): string =>
  [
    'id,primary_email_address,verified_email_addresses,totp_secret,password_digest,password_hasher',
    ...indexes.map((index) => `user_${index},p${index}@example.com,p${index}@example.com,,,`),
  ].join('\n');

const apiUser = (index: number, more: object = {}) => ({
  id: `user_${index}`,
  object: 'user',
  primary_email_address_id: 'idn_1',
  email_addresses: [
    { id: 'idn_1', email_address: `p${index}@example.com`, verification: { status: 'verified' } },
  ],
  external_accounts: [],
  private_metadata: {},
  password_enabled: false,
  totp_enabled: false,
  banned: false,
  updated_at: 1_600_000_000_000,
  ...more,
});

it('keeps a ban from every kind of export', async () => {
  const users = [apiUser(1, { banned: true }), apiUser(2)];
  const lines = users.map((each) => JSON.stringify(each)).join('\n');
  for (const json of [
    lines,
    JSON.stringify(users),
    JSON.stringify({ data: users, total_count: 2 }),
    JSON.stringify({ total_count: 2, data: users }, null, 2),
    JSON.stringify({ users, totalCount: 2 }),
    users.map((each) => JSON.stringify({ data: [each], total_count: 2 })).join('\n'),
    `\uFEFF\n${JSON.stringify({ object: 'list', data: users })}`,
  ]) {
    const { records, notes } = await readFiles({ 'users.csv': csv(1, 2), 'users.json': json });
    expect(records).toMatchObject([
      { sourceId: 'user_1', customer: { disabledAt: '2020-09-13T12:26:40.000Z' }, leftOut: [] },
      { sourceId: 'user_2', customer: { email: 'p2@example.com' }, leftOut: [] },
    ]);
    expect(notes).toEqual([]);
  }
});

it("reports a user's further rows with different secrets, and missing pages", async () => {
  const [header, row] = csv(1).split('\n');
  const cells = ['JBSWY3DPEHPK3PXP', '', 'JBSWY3DPEHPK3PXP'].map((secret) =>
    row!.replace(',,,', `,${secret},,`),
  );
  const { records } = await readFiles({
    'users.csv': [header, ...cells].join('\n'),
    'users.json': JSON.stringify({ data: [apiUser(1)], total_count: 2 }),
  });
  expect(records).toMatchObject([
    { position: 'users.csv:3', sourceId: 'user_1', customer: null, leftOut: [{ field: '' }] },
    { sourceId: 'user_1', customer: { totpSecret: 'JBSWY3DPEHPK3PXP' }, leftOut: [] },
    { position: '', customer: null, leftOut: [{ field: 'total_count' }] },
  ]);
});

it('reports unknown values of users that are in only one of the files', async () => {
  const users = [apiUser(1), apiUser(2, { password_enabled: true, totp_enabled: undefined })];
  const { records } = await readFiles({ 'users.csv': csv(1, 3), 'users.json': JSON.stringify(users) });
  expect(records.map((record) => [record.sourceId, fieldsOf(record)])).toEqual([
    ['user_1', []],
    ['user_2', ['password_digest', 'totp_secret']],
    ['user_3', ['banned', 'external_accounts', 'metadata']],
  ]);
});

it('reports the unknown values of each user, and a missing file once', async () => {
  const onlyCsv = await readFiles({ 'users.csv': csv(1, 2) });
  const unknown = ['banned', 'external_accounts', 'metadata'];
  expect(onlyCsv.records.map(fieldsOf)).toEqual([unknown, unknown]);
  expect(onlyCsv.notes).toEqual([expect.stringContaining('JSON export')]);
  const exported = { id: 'user_1', primary_email_address: 'p1@example.com', banned: true };
  const onlyJson = await readFiles({ 'users.json': JSON.stringify([exported]) });
  expect(onlyJson.records.map(fieldsOf)).toEqual([['password_digest', 'totp_secret', 'external_accounts']]);
  expect(onlyJson.records).toMatchObject([{ customer: { disabledAt: expect.anything() } }]);
  expect(onlyJson.notes).toEqual([expect.stringContaining('CSV export')]);
});

it.each([
  [{ 'a.csv': csv(1), 'a.json': JSON.stringify([apiUser(2)]) }, 'a.json'],
  [
    { 'b.csv': csv(1), 'a.json': JSON.stringify([apiUser(1)]), 'c.json': JSON.stringify([apiUser(2)]) },
    'c.json',
  ],
  [{ 'c.csv': csv(1), 'd.csv': csv(3), 'a.json': JSON.stringify([apiUser(1)]) }, 'd.csv'],
])('rejects files without a common user: %#', async (files, name) => {
  await expect(readFiles(files)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(name),
  });
});

it.each([
  ['a ban that is not a boolean', { banned: 'on' }, null, ['banned']],
  ['no ban', { banned: undefined }, {}, ['banned']],
  [
    'second factors that no other field lists',
    { two_factor_enabled: true, totp_enabled: undefined },
    {},
    ['two_factor_enabled'],
  ],
  [
    'second factors that another field lists',
    { two_factor_enabled: true, totp_enabled: true },
    {},
    ['totp_secret'],
  ],
  ['an image of unknown origin', { image_url: 'https://img.clerk.com/1' }, {}, ['image_url']],
  ['no private metadata', { private_metadata: undefined }, {}, ['private_metadata']],
  ['no external accounts', { external_accounts: undefined }, {}, ['external_accounts']],
  ['no id', { id: undefined }, null, ['']],
  ['a lock', { locked: true }, {}, ['locked']],
  ['a language', { locale: 'de_AT' }, { locale: 'de-AT' }, []],
  [
    'a second factor by text message',
    { phone_numbers: [{ id: 'idn_2', reserved_for_second_factor: true }] },
    {},
    ['phone_numbers', 'phone_numbers'],
  ],
  [
    'metadata of the wrong type',
    { public_metadata: '{"plan":"pro"}', private_metadata: [1], unsafe_metadata: 'dark' },
    {},
    ['private_metadata', 'unsafe_metadata', 'public_metadata'],
  ],
  [
    'lists of the wrong type',
    { phone_numbers: { a: 1 }, passkeys: { a: 1 }, enterprise_accounts: 'acme', web3_wallets: {} },
    {},
    ['phone_numbers', 'passkeys', 'enterprise_accounts'],
  ],
  ['an external account of the wrong type', { external_accounts: ['google'] }, {}, ['external_accounts']],
  [
    'flags of the wrong type',
    { totp_enabled: 'true', backup_code_enabled: 1, locked: 'true' },
    {},
    ['totp_secret', 'backup_codes', 'locked'],
  ],
  ['objects instead of strings', { first_name: { a: 1 }, locale: ['de'] }, {}, ['first_name', 'locale']],
  ['flags that are false', { totp_enabled: 'false', backup_code_enabled: 0, locked: '' }, {}, []],
  ['organizations', { organization_memberships: [{ role: 'admin' }] }, {}, ['organization_memberships']],
])('converts a user with %s', (_, more, customer, leftOut) => {
  const secrets = { digest: '', hasher: '', totpSecret: '' };
  const record = convertClerkUser('', { ...apiUser(1), ...more }, secrets);
  if (customer === null) expect(record.customer).toBeNull();
  else expect(record.customer).toMatchObject(customer);
  expect(fieldsOf(record)).toEqual(leftOut);
});

const noApi = { email_addresses: undefined, primary_email_address_id: undefined };
const dashboard = { ...noApi, primary_email_address: 'p1@example.com', banned: undefined };
it.each([
  ['lists as strings', { verified_email_addresses: 'p1@example.com', unverified_email_addresses: '' }, true],
  ['lists', { verified_email_addresses: ['p1@example.com'], totp_secret: '' }, true],
  ['external accounts', {}, false],
  ['an empty name', { external_accounts: undefined, first_name: '' }, false],
  ['addresses of the wrong type', { email_addresses: null }, false],
])('reports an unknown ban if the export format is unknown: %s', (_, more, emailVerified) => {
  const record = convertClerkUser('', { ...apiUser(1), ...dashboard, ...more });
  expect(fieldsOf(record)).toContain('banned');
  expect(record.customer).toMatchObject({ email: 'p1@example.com', emailVerified });
  expect(withoutBan(record).customer).not.toHaveProperty('disabledAt');
});

it('recognizes that a user from `clerk migrate export` without a ban is not banned', () => {
  const record = convertClerkUser('', { id: 'user_1', primary_email_address: 'p1@example.com' });
  expect(withoutBan(record).customer).toMatchObject({ disabledAt: null, emailVerified: true });
});

it.each([
  ['a ban', { banned: 'true' }, {}, { disabledAt: '2020-09-13T12:26:40.000Z' }, ['banned']],
  [
    'a ban that only the CSV export contains',
    { banned: 't' },
    { banned: undefined },
    { disabledAt: '2020-09-13T12:26:40.000Z' },
    [],
  ],
  [
    'a ban that the CSV export contradicts',
    { banned: 'false' },
    { banned: true },
    { disabledAt: '2020-09-13T12:26:40.000Z' },
    ['banned'],
  ],
  ['a ban that cannot be read', { banned: 'maybe' }, {}, null, ['banned']],
  [
    'names',
    { first_name: 'Ada', last_name: 'King' },
    { last_name: 'Byron' },
    { firstName: 'Ada', lastName: 'Byron' },
    ['last_name'],
  ],
  ['equal names', { first_name: 'Jose\u0301' }, { first_name: 'José' }, { firstName: 'José' }, []],
  ['an unknown column', { department: 'sales', plan: '' }, {}, {}, ['department']],
  [
    'a column that the JSON export also contains',
    { created_at: '1600000000000', locale: 'de' },
    { created_at: 1_600_000_000_000, locale: 'fr' },
    { locale: 'fr' },
    ['locale'],
  ],
  [
    'a username and a phone',
    { username: 'ada', primary_phone_number: '+1555' },
    {},
    {},
    ['username', 'phone_numbers'],
  ],
  [
    'another address',
    { primary_email_address: 'x@example.com', verified_email_addresses: 'x@example.com' },
    {},
    { email: 'p1@example.com' },
    ['primary_email_address', 'email_addresses'],
  ],
  [
    'an unverified address',
    { verified_email_addresses: '', unverified_email_addresses: 'p1@example.com' },
    {},
    { emailVerified: false },
    ['primary_email_address'],
  ],
  [
    'an address that only the CSV export contains',
    {},
    { email_addresses: [] },
    { email: 'p1@example.com', emailVerified: true },
    [],
  ],
])('compares the CSV export with JSON: %s', async (_, cells, more, customer, leftOut) => {
  const [header, row] = csv(1)
    .split('\n')
    .map((line) => line.split(','));
  const table = { ...Object.fromEntries(header!.map((name, index) => [name, row![index]!])), ...cells };
  const { records } = await readFiles({
    'users.csv': [Object.keys(table), Object.values(table)].map((line) => line.join(',')).join('\n'),
    'users.json': JSON.stringify([apiUser(1, more)]),
  });
  expect(records).toHaveLength(1);
  if (customer === null) expect(records[0]!.customer).toBeNull();
  else expect(records[0]!.customer).toMatchObject(customer);
  expect(fieldsOf(records[0]!)).toEqual(leftOut);
});

it('reads a ban from the CSV export alone, or from the second row of a user', async () => {
  const [header, row] = csv(1).split('\n');
  for (const value of ['true', 'maybe', 'false']) {
    const files = { 'users.csv': `${header},banned\n${row},${value}` };
    const [record] = (await readFiles(files)).records;
    if (value === 'maybe') expect(record!.customer).toBeNull();
    else expect(withoutBan(record!).customer!.disabledAt === null).toBe(value === 'false');
    expect(fieldsOf(record!).includes('banned')).toBe(value === 'maybe');
  }
  const secret = row!.replace(',,,', ',JBSWY3DPEHPK3PXP,,');
  for (const rows of [
    [`${row},`, `${secret},true`],
    [`${row},true`, `${secret},`],
    [`${secret},`, `${row},1`],
  ]) {
    const { records } = await readFiles({
      'users.csv': [`${header},banned`, ...rows].join('\n'),
      'users.json': JSON.stringify([apiUser(1)]),
    });
    expect(records.at(-1)).toMatchObject({
      customer: { totpSecret: 'JBSWY3DPEHPK3PXP', disabledAt: expect.any(String) },
      leftOut: [{ field: 'banned' }],
    });
  }
});

it('leaves out a password that Clerk requires the user to reset', () => {
  const secrets = { digest: `$2a$10$${'a'.repeat(53)}`, hasher: 'bcrypt', totpSecret: '' };
  for (const mustReset of [true, 'true']) {
    const record = convertClerkUser('', apiUser(1, { requires_password_reset: mustReset }), secrets);
    expect(record).toMatchObject({ leftOut: [{ field: 'password_digest' }] });
    expect(record.customer).not.toHaveProperty('passwordHash');
  }
});
