import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportSource, SourceRecord } from '../source.js';
import { cognito } from './cognito.js';
import { firebase } from './firebase.js';
import { keycloak } from './keycloak.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-exports-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(
  source: ImportSource,
  contents: Record<string, string>,
  values: Record<string, string> = {},
): Promise<SourceRecord[]> {
  const files = Object.keys(contents).map((name) => join(folder, name));
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);
  const records: SourceRecord[] = [];
  for await (const record of source.read(files, { values })) records.push(record);
  return records;
}

/** Returns each customer's email address, or the reasons of a record without one. */
const resultsOf = (records: SourceRecord[]): string[] =>
  records.map(({ customer, leftOut }) => customer?.email ?? leftOut[0]!.reason);
const positionsOf = (records: SourceRecord[]): string[] => records.map(({ position }) => position);

const json = (value: unknown): string => JSON.stringify(value);
const [ada, bob] = ['ada@example.com', 'bob@example.com'];

describe('Keycloak files', () => {
  const user = (email: string, more: object = {}) => ({
    ...{ id: email, username: email, email, enabled: true, credentials: [] },
    ...more,
  });
  const serviceAccount = { username: 'service-account-app', enabled: true, serviceAccountClientId: 'app' };

  it.each<[string, Record<string, string>]>([
    [
      'a realm with its users',
      { 'acme.json': json({ id: 'a', realm: 'acme', users: [user(ada), user(bob)] }) },
    ],
    [
      'several files with a part of the users each',
      {
        'acme-realm.json': json({ id: 'a', realm: 'acme', roles: {} }),
        'acme-users-0.json': json({ realm: 'acme', users: [user(ada)] }),
        'acme-users-1.json': json({ realm: 'acme', users: [user(bob)] }),
      },
    ],
    ['a list from the Admin API', { 'users.json': json([user(ada), user(bob)]) }],
    ['pages from the Admin API', { 'users.json': `${json([user(ada)])}\n${json([user(bob)])}\n` }],
    ['one user per line', { 'users.ndjson': `${json(user(ada))}\n${json(user(bob))}\n` }],
  ])('reads %s', async (_, files) => {
    expect(resultsOf(await read(keycloak, files))).toEqual([ada, bob]);
  });

  it('reports federated users, which have no email address', async () => {
    const federated = { id: 'f:1:ada', credentials: [], realmRoles: ['admin'] };
    const files = { 'acme.json': json({ realm: 'acme', users: [user(bob)], federatedUsers: [federated] }) };
    expect(await read(keycloak, files)).toMatchObject([
      { customer: { email: bob } },
      { position: 'acme.json#2', sourceId: 'f:1:ada', customer: null },
    ]);
  });

  it('accepts another member named realm', async () => {
    const other = { ...user(bob), attributes: { crm: { realm: 'sales' } } };
    const files = { 'acme.json': json({ realm: 'acme', users: [user(ada), other] }) };
    expect(resultsOf(await read(keycloak, files))).toEqual([ada, bob]);
  });

  it.each([
    ['no users', { 'a.json': json({ id: 'a', realm: 'acme', clients: [] }) }, 'No users in'],
    [
      'only service accounts, as in a partial export',
      { 'a.json': json({ realm: 'acme', users: [serviceAccount] }) },
      'No users in',
    ],
    [
      'several realms',
      { 'all.json': json([{ realm: 'master' }, { realm: 'acme' }]) },
      'contains several realms',
    ],
    [
      'one realm in each file',
      {
        'one.json': json({ realm: 'one', users: [user(ada)] }),
        'two.json': json({ realm: 'two', users: [user(bob)] }),
      },
      'The files contain several realms',
    ],
    [
      'several concatenated realms',
      {
        'all.json': json({ realm: 'one', users: [user(ada)] }) + json({ users: [user(bob)], realm: 'two' }),
      },
      'all.json contains several realms',
    ],
    [
      'several realms whose names come after the users',
      {
        'one.json': json({ users: [user(ada)], realm: 'one' }),
        'two.json': json({ users: [user(bob)], realm: 'two' }),
      },
      'The files contain several realms',
    ],
  ])('rejects files with %s', async (_, files, message) => {
    await expect(read(keycloak, files)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(message),
      fix: expect.stringContaining('kc.sh export'),
    });
  });
});

describe('Cognito files', () => {
  const user = (email: string) => ({
    ...{ Username: email, Enabled: true, UserStatus: 'CONFIRMED' },
    Attributes: [{ Name: 'email', Value: email }],
  });
  const page = (emails: string[], more: object = {}) => ({ Users: emails.map(user), ...more });
  const [first, last] = [page([ada], { PaginationToken: 'token' }), page([bob])];

  it.each<[string, Record<string, string>]>([
    ['all users', { 'users.json': json(page([ada, bob])) }],
    ['pages in several files', { '1.json': json(first), '2.json': json(last) }],
    ['pages one after the other', { 'users.json': `${json(first)}\n${JSON.stringify(last, null, 4)}\n` }],
    ['one page per line', { 'users.ndjson': `${json(first)}\n${json(last)}\n` }],
    ['an array of pages', { 'users.json': json([first, last]) }],
    [
      'an empty last page',
      { 'users.json': json(page([ada, bob], { PaginationToken: 'token' })) + json(page([])) },
    ],
    ['an array of users', { 'users.json': json([user(ada), user(bob)]) }],
    [
      'one user per line, as from admin-get-user',
      { 'users.ndjson': `${json(user(ada))}\n${json(user(bob))}\n` },
    ],
  ])('reads %s', async (_, files) => {
    expect(resultsOf(await read(cognito, files))).toEqual([ada, bob]);
  });

  it.each([
    ['a page from the API', { 'users.json': json(first) }],
    ['a page with --max-items', { 'users.json': json(page([ada], { NextToken: 'token' })) }],
    ['a page in an array', { 'users.json': json([first]) }],
    ['the last of several pages', { 'users.json': json(page([], { NextToken: 'token' })) + json(first) }],
  ])('reports an incomplete export if the last page has a token: %s', async (_, files) => {
    expect(resultsOf(await read(cognito, files))).toEqual([
      ada,
      'The last page refers to another one: the export is incomplete',
    ]);
  });

  it('numbers the users across all pages', async () => {
    const records = await read(cognito, { 'users.json': json(first) + json(last) });
    expect(positionsOf(records)).toEqual(['users.json#1', 'users.json#2']);
    expect(positionsOf(await read(cognito, { 'users.json': json([first, last]) }))).toEqual([
      'users.json#1.1',
      'users.json#2.1',
    ]);
  });
});

describe('Firebase CSV files', () => {
  const [id, hash, salt] = ['uid1', `${'A'.repeat(86)}==`, 'c2FsdHNhbHQ='];
  const config = json({
    ...{ algorithm: 'SCRYPT', base64_signer_key: 'c2lnbmVy', base64_salt_separator: 'Bw==' },
    ...{ rounds: 8, mem_cost: 14 },
  });
  const accounts = (count: number, ...at: [index: number, rawId: string][]): string[] =>
    Array.from({ length: count }, (_, index) => at.find(([start]) => start * 4 === index)?.[1] ?? '');
  /** A row as src/accountExporter.ts in firebase-tools writes it. */
  const row = (more: { name?: string; end?: string[]; later?: string[] } = {}): string =>
    [
      ...[id, ada, 'true', hash, salt, more.name ?? 'Ada King Lovelace', ''],
      ...accounts(16, [0, 'g1'], [3, 'h1']),
      ...['1600000000000', '1600000001000', ''],
      ...(more.end ?? ['true', '"{""plan"":""pro"",""n"":""a,b""}"']),
      ...(more.later ?? accounts(24, [0, 'a1'])),
      '',
    ].join(',');
  const customer = {
    externalId: id,
    email: ada,
    emailVerified: true,
    firstName: 'Ada King',
    lastName: 'Lovelace',
    passwordHash: expect.stringContaining('$fbscrypt$v=1,n=14,'),
    createdAt: '2020-09-13T12:26:40.000Z',
    lastLoginAt: '2020-09-13T12:26:41.000Z',
    disabledAt: '2020-09-13T12:26:41.000Z',
    metadata: { plan: 'pro', n: 'a,b' },
  };
  const github = [
    { provider: 'google.com', subject: 'g1' },
    { provider: 'github.com', subject: 'h1' },
  ];
  const apple = { provider: 'apple.com', subject: 'a1' };
  const readCsv = async (content: string): Promise<SourceRecord[]> => {
    writeFileSync(join(folder, 'hash-config.json'), config);
    return read(firebase, { 'users.csv': content }, { hashConfig: join(folder, 'hash-config.json') });
  };
  const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

  it.each<[string, string, object, string[]]>([
    ['52 columns', row(), { ...customer, identities: [...github, apple] }, ['mfaInfo']],
    ['28 columns', row({ later: [] }), { ...customer, identities: github }, ['mfaInfo', 'providerUserInfo']],
    [
      '28 columns without the comma at the end',
      row({ later: [] }).slice(0, -1),
      { ...customer, identities: github },
      ['mfaInfo', 'providerUserInfo'],
    ],
    [
      'the columns of versions before 7.9, without the state',
      row({ later: [], end: [] }),
      { ...customer, identities: github, disabledAt: undefined, metadata: undefined },
      ['mfaInfo', 'providerUserInfo', 'disabled'],
    ],
  ])('reads %s', async (_, line, expected, leftOut) => {
    const records = await readCsv(`${line}\n${line}\n`);
    expect(records.map((record) => [record.customer, fieldsOf(record)])).toEqual([
      [expected, leftOut],
      [expected, leftOut],
    ]);
  });

  it('reports a row with an unquoted comma in a name, as older versions write it', async () => {
    const lines = [row({ name: 'Lovelace, Ada', later: [] }), row({ later: [] })];
    const records = await readCsv(lines.join('\n'));
    expect(records).toMatchObject([
      { position: 'users.csv:1', customer: null },
      { position: 'users.csv:2', customer: { email: ada } },
    ]);
  });

  it('reads a quoted name with a comma', async () => {
    const [record] = await readCsv(row({ name: '"King Lovelace, Ada"' }));
    expect(record?.customer).toMatchObject({ firstName: 'King Lovelace,', lastName: 'Ada' });
  });

  it('rejects files from another program', async () => {
    await expect(readCsv('id,email\n1,ada@example.com\n')).rejects.toMatchObject({ exitCode: 2 });
  });

  it('requires the hash parameters only if a user has a hash', async () => {
    const withoutHash = row().replace(`,${hash},${salt},`, ',,,');
    expect(resultsOf(await read(firebase, { 'users.csv': withoutHash }))).toEqual([ada]);
    await expect(read(firebase, { 'users.csv': row() })).rejects.toMatchObject({
      exitCode: 2,
      fix: expect.stringContaining('--hash-config'),
    });
  });
});
