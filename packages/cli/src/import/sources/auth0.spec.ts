import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceRecord } from '../source.js';
import { withoutBan } from '../without-ban.js';
import { unusableProviders } from './auth0-identities.js';
import { convertAuth0User } from './auth0-user.js';
import { auth0 } from './auth0.js';

const SECRET = 'JBSWY3DPEHPK3PXP';
const OTHER_SECRET = 'GEZDGNBVGY3TQOJQ';
const user = { user_id: 'email|1', email: 'ada@example.com', identities: [] as unknown };
const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

it.each([
  ['a secret', [{ type: 'totp', secret: SECRET }], SECRET, []],
  ['a nested secret', [{ authenticator_type: 'otp', totp: { secret: SECRET } }], SECRET, []],
  ['no secret', [{ type: 'authenticator' }], undefined, ['guardian_authenticators']],
  ['a malformed secret', [{ type: 'totp', secret: '!' }], undefined, ['guardian_authenticators']],
  ['push', [{ type: 'push', name: 'Phone' }], undefined, ['guardian_authenticators']],
  ['recovery codes', [{ type: 'recovery-code' }], undefined, ['guardian_authenticators']],
  ['an unconfirmed enrollment', [{ type: 'totp', confirmed: false }], undefined, []],
  ['a second app', [{ secret: SECRET }, { secret: OTHER_SECRET }], SECRET, ['guardian_authenticators']],
  [
    'an app after a malformed one',
    [{ secret: '!' }, { secret: SECRET }],
    SECRET,
    ['guardian_authenticators'],
  ],
])('reads guardian_authenticators with %s', (_, guardian, totpSecret, leftOut) => {
  const exported = { ...user, multifactor: ['guardian'], guardian_authenticators: guardian };
  const record = convertAuth0User('', exported, new Map());
  expect(record.customer?.totpSecret).toBe(totpSecret);
  expect(fieldsOf(record)).toEqual(leftOut.length === 0 && !totpSecret ? ['multifactor'] : leftOut);
});

it('reads an app once if both fields contain it, and names a second secret of mfa_factors', () => {
  const totp = (secret: string) => ({ totp: { secret } });
  const both = { mfa_factors: [totp(SECRET)], guardian_authenticators: [{ type: 'totp' }, totp(SECRET)] };
  expect(convertAuth0User('', { ...user, ...both }, new Map())).toMatchObject({
    customer: { totpSecret: SECRET },
    leftOut: [],
  });
  const two = convertAuth0User('', { ...user, mfa_factors: [totp(SECRET), totp(OTHER_SECRET)] }, new Map());
  expect(two).toMatchObject({ customer: { totpSecret: SECRET }, leftOut: [{ field: 'mfa_factors' }] });
});

it.each([
  ['an unreadable ban', { blocked: 'maybe' }, null, ['blocked']],
  ['no identities', { identities: undefined }, {}, ['identities']],
  [
    'metadata of another type',
    { app_metadata: '{"roles":["admin"]}', user_metadata: [1] },
    {},
    ['app_metadata', 'user_metadata'],
  ],
  [
    'factors of another type',
    {
      ...{ mfa_factors: { totp: { secret: SECRET } }, guardian_authenticators: { type: 'totp' } },
      ...{ multifactor: 'guardian', passkeys: { id: '1' } },
    },
    {},
    ['mfa_factors', 'guardian_authenticators', 'multifactor', 'passkeys'],
  ],
  ['elements of another type', { mfa_factors: [SECRET] }, {}, ['mfa_factors']],
  [
    'objects instead of texts',
    { given_name: ['Ada'], username: { name: 'ada' }, last_login: { $date: 1 }, email_verified: 'on' },
    { emailVerified: false },
    ['given_name', 'last_login', 'username', 'email_verified'],
  ],
  ['passkeys', { passkeys: [{ id: '1' }] }, {}, ['passkeys']],
  [
    'Google Workspace with ids',
    { identities: [{ provider: 'google-apps', connection: 'acme', user_id: '1234' }] },
    { identities: [{ provider: 'acme', subject: '1234' }] },
    [],
  ],
  [
    'Google Workspace with addresses',
    { identities: [{ provider: 'google-apps', connection: 'acme', user_id: 'ada@example.com' }] },
    { identities: [{ provider: 'google-apps:acme', subject: 'ada@example.com' }] },
    [],
  ],
  [
    'SAML',
    { identities: [{ provider: 'samlp', connection: 'acme', user_id: 'acme|ada' }] },
    { identities: [{ provider: 'samlp:acme', subject: 'acme|ada' }] },
    [],
  ],
  [
    'an address that Azure AD has set',
    {
      email_verified: true,
      identities: [
        { provider: 'waad', connection: 'acme', user_id: '1' },
        { provider: 'github', user_id: '2' },
      ],
    },
    { emailVerified: false },
    ['email_verified'],
  ],
  [
    'a linked account at a company',
    { email_verified: true, identities: ['github', 'waad'].map((provider) => ({ provider, user_id: '1' })) },
    { emailVerified: true },
    [],
  ],
])('converts a user with %s', (_, more, customer, leftOut) => {
  const record = convertAuth0User('', { ...user, ...more }, new Map());
  if (customer === null) expect(record.customer).toBeNull();
  else expect(record.customer).toMatchObject(customer);
  expect(fieldsOf(record)).toEqual(leftOut);
});

it('lists no provider both as one that can match and as one that never matches', () => {
  expect(Object.keys(auth0.providers).filter((name) => name in unusableProviders)).toEqual([]);
});

describe('the files of Auth0', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-auth0-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function readFiles(files: Record<string, string>): Promise<[SourceRecord[], string[]]> {
    const paths = Object.keys(files).map((name) => join(folder, name));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const [records, notes]: [SourceRecord[], string[]] = [[], []];
    const note = async (text: string) => void notes.push(text);
    for await (const record of auth0.read(paths, { values: {}, note })) records.push(record);
    return [records, notes];
  }

  it('name the field blocked if no user has it, so that an update lifts no ban', async () => {
    const metadata = { blocked: true };
    const [ada, bob] = [user, { ...user, user_id: 'email|2', app_metadata: metadata }].map((each) => ({
      ...each,
    }));
    const read = async (...users: object[]) => {
      const [records] = await readFiles({
        'users.json': users.map((each) => JSON.stringify(each)).join('\n'),
      });
      return records.map((record) => [fieldsOf(record), withoutBan(record).customer?.disabledAt]);
    };
    expect(await read(ada!, bob!)).toEqual([
      [['blocked'], undefined],
      [['blocked'], undefined],
    ]);
    expect(await read(ada!, { ...bob, blocked: false })).toEqual([
      [[], null],
      [[], null],
    ]);
  });

  it('can be pages of the Management API, and a missing password export is named', async () => {
    const users = [{ ...user, user_id: 'auth0|1', blocked: false }];
    const page = { start: 0, limit: 50, length: 1, users, total: 1 };
    for (const content of [JSON.stringify(page), JSON.stringify(page, null, 2)]) {
      const [records, notes] = await readFiles({ 'users.json': content });
      expect(records).toMatchObject([{ sourceId: 'auth0|1', leftOut: [{ field: 'passwordHash' }] }]);
      expect(notes).toHaveLength(1);
    }
  });

  it('are named as incomplete if pages state more users, and passwords of a user if there are several', async () => {
    const users = [{ ...user, user_id: 'auth0|1', blocked: false }];
    const passwords = ['$2b$10$x', '$2b$10$y', '$2b$10$x'].map((passwordHash) =>
      JSON.stringify({ _id: { $oid: '1' }, passwordHash }),
    );
    const [records] = await readFiles({
      'users.json': JSON.stringify({ users, total: 200 }),
      'passwords.json': passwords.join('\n'),
    });
    expect(records).toMatchObject([
      { position: 'passwords.json:2', customer: null, leftOut: [{ field: 'passwordHash' }] },
      { customer: { passwordHash: '$2b$10$x' }, leftOut: [] },
      { position: '', customer: null, leftOut: [{ field: 'total' }] },
    ]);
  });

  it('are rejected if the passwords belong to none of the users, or as CSV', async () => {
    const users = JSON.stringify({ ...user, user_id: 'auth0|1' });
    const passwords = JSON.stringify({ _id: { $oid: '2' }, passwordHash: '$2b$10$x' });
    const cases: Record<string, string>[] = [
      { 'users.json': users, 'passwords.json': passwords },
      { 'users.csv': '"user_id","email"\n"auth0|1","ada@example.com"\n' },
    ];
    for (const files of cases) await expect(readFiles(files)).rejects.toMatchObject({ exitCode: 2 });
  });
});
