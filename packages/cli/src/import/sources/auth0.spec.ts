import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasons } from '../reasons.js';
import type { SourceRecord } from '../source.js';
import { withoutBan } from '../without-ban.js';
import { unusableProviders } from './auth0-identities.js';
import { convertAuth0User } from './auth0-user.js';
import { auth0 } from './auth0.js';

const SECRET = 'JBSWY3DPEHPK3PXP';
const OTHER_SECRET = 'GEZDGNBVGY3TQOJQ';
const user = { user_id: 'email|1', email: 'ada@example.com', identities: [] as unknown };
/** A user with all required fields. */
const complete = {
  ...user,
  ...{ blocked: false, email_verified: false, multifactor: [], app_metadata: {}, user_metadata: {} },
};
const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

it.each([
  ['a secret', [{ type: 'totp', secret: SECRET }], SECRET, []],
  ['a nested secret', [{ authenticator_type: 'otp', totp: { secret: SECRET } }], SECRET, []],
  ['no secret', [{ type: 'authenticator' }], undefined, ['guardian_authenticators']],
  ['a malformed secret', [{ type: 'totp', secret: '!' }], undefined, ['guardian_authenticators']],
  ['push', [{ type: 'push', name: 'Phone' }], undefined, ['guardian_authenticators']],
  ['recovery codes', [{ type: 'recovery-code' }], undefined, ['guardian_authenticators']],
  ['an unconfirmed enrollment', [{ type: 'totp', confirmed: false }], undefined, []],
  ['an unconfirmed enrollment, as a string', [{ secret: SECRET, confirmed: 'false' }], undefined, []],
  ['an unconfirmed enrollment, as a number', [{ secret: SECRET, confirmed: 0 }], undefined, []],
  ['a pending enrollment', [{ secret: SECRET, status: 'Confirmation_Pending' }], undefined, []],
  [
    'an enrollment whose confirmation cannot be read',
    [{ secret: SECRET, confirmed: 'maybe' }],
    undefined,
    ['guardian_authenticators', 'multifactor'],
  ],
  ['usual parameters', [{ secret: SECRET, algorithm: 'HMAC-SHA1', digits: 6, period: '30' }], SECRET, []],
  ['8 digits', [{ secret: SECRET, digits: 8 }], undefined, ['guardian_authenticators']],
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

it('reads an app once if both fields contain it, and reports a second secret in mfa_factors', () => {
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
  ['SHA-256', [{ totp: { secret: SECRET, algorithm: 'SHA256' } }], undefined, [], [reasons.totpParameters]],
  ['8 digits', [{ totp: { secret: SECRET, digits: '8' } }], undefined, [], [reasons.totpParameters]],
  [
    'a period of 60 seconds',
    [{ otp: { secret: SECRET }, period: 60 }],
    undefined,
    [],
    [reasons.totpParameters],
  ],
  [
    'a phone in the object',
    [{ totp: { secret: SECRET }, phone: { value: '+1' } }],
    SECRET,
    [],
    [reasons.onlyTotp],
  ],
  ['an unconfirmed app', [{ totp: { secret: SECRET }, confirmed: 'f' }], undefined, [], []],
  [
    'an app, and Duo in multifactor',
    [{ totp: { secret: SECRET } }],
    SECRET,
    ['guardian', 'duo'],
    [reasons.onlyTotp],
  ],
  [
    'an app, and recovery codes in multifactor',
    [{ totp: { secret: SECRET } }],
    SECRET,
    ['recovery-code'],
    [reasons.recoveryCodes],
  ],
  [
    'an app that multifactor also lists',
    [{ totp: { secret: SECRET } }],
    SECRET,
    ['guardian', 'google-authenticator'],
    [],
  ],
])('reads mfa_factors with %s', (_, factors, totpSecret, multifactor, leftOut) => {
  const record = convertAuth0User('', { ...user, mfa_factors: factors, multifactor }, new Map());
  expect(record.customer?.totpSecret).toBe(totpSecret);
  expect(record.leftOut.map(({ reason }) => reason)).toEqual(leftOut.map(({ reason }) => reason));
});

it.each([
  ['an unreadable ban', { blocked: 'maybe' }, null, ['blocked']],
  ['no identities', { identities: undefined }, {}, ['identities']],
  [
    'metadata of the wrong type',
    { app_metadata: '{"roles":["admin"]}', user_metadata: [1] },
    {},
    ['app_metadata', 'user_metadata'],
  ],
  [
    'factors of the wrong type',
    {
      ...{ mfa_factors: { totp: { secret: SECRET } }, guardian_authenticators: { type: 'totp' } },
      ...{ multifactor: 'guardian', passkeys: { id: '1' } },
    },
    {},
    ['mfa_factors', 'guardian_authenticators', 'multifactor', 'passkeys'],
  ],
  ['elements of the wrong type', { mfa_factors: [SECRET] }, {}, ['mfa_factors']],
  [
    'objects instead of strings',
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
  ...['okta', 'oidc', 'SAMLP'].map((provider): [string, object, object, string[]] => [
    `an address that ${provider} has set`,
    { email_verified: true, identities: [{ provider, connection: 'corp', user_id: '900' }] },
    { emailVerified: false },
    ['email_verified'],
  ]),
  ['an empty verification', { email_verified: null }, { emailVerified: false }, ['email_verified']],
  [
    'an address that SAML has set, according to the user id',
    { user_id: 'samlp|acme|1', email_verified: true, identities: [{ provider: 'github', user_id: '2' }] },
    { emailVerified: false },
    ['email_verified'],
  ],
  [
    'a first identity without a provider',
    { email_verified: true, identities: [{ user_id: '900' }] },
    { emailVerified: false },
    ['email_verified'],
  ],
  [
    'a null first identity',
    { email_verified: true, identities: [null, { provider: 'samlp', user_id: '900' }] },
    { emailVerified: false },
    ['identities', 'email_verified'],
  ],
  [
    'a nickname, and a name with a title',
    { given_name: 'Ada', family_name: 'King', name: 'Dr Ada King', nickname: 'countess' },
    { firstName: 'Ada', lastName: 'King' },
    ['name', 'nickname'],
  ],
  [
    'names that repeat each other',
    { given_name: 'Ada', family_name: 'King', name: 'Ada King', nickname: 'ada' },
    { firstName: 'Ada', lastName: 'King' },
    [],
  ],
  ['unknown values that are false', { newsletter: false, points: 0, tags: [] }, {}, ['newsletter', 'points']],
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

it('does not list a provider as both usable and unusable', () => {
  expect(Object.keys(auth0.providers).filter((name) => name in unusableProviders)).toEqual([]);
});

describe('Auth0 files', () => {
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

  it('reports that `blocked` is missing if no user has it, so that an update does not lift bans', async () => {
    const metadata = { blocked: true, multifactor: [1] };
    const { blocked: _, ...free } = complete;
    const [ada, bob] = [free, { ...free, user_id: 'email|2', app_metadata: metadata }].map((each) => ({
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

  it.each(['email_verified', 'multifactor', 'app_metadata', 'user_metadata'])(
    'reports that the field %s is missing if no user has it',
    async (field) => {
      const { [field]: _, ...others } = complete as Record<string, unknown>;
      const users = [others, { ...others, user_id: 'email|2', app_metadata: { [field]: [true] } }];
      if (field === 'app_metadata') users[1] = { ...others, user_metadata: { [field]: [true] } };
      const write = (...all: object[]) => all.map((each) => JSON.stringify(each)).join('\n');
      const [named] = await readFiles({ 'users.json': write(...users) });
      expect(named.map(fieldsOf)).toEqual([[field], [field]]);
      const [known] = await readFiles({ 'users.json': write(...users), 'more.json': write(complete) });
      expect(known.map(fieldsOf)).toEqual([[], [], []]);
    },
  );

  const bulk = { user_id: '9100', email: 'ada@example.com', email_verified: true };
  const passwordFile = JSON.stringify({ _id: { $oid: '9100' }, passwordHash: '$2b$10$x' });
  const identities = [{ provider: 'auth0', user_id: '9100', connection: 'Users' }];
  it.each<[string, object, string | null, string, string[]]>([
    ['the user export', { ...complete, ...bulk, identities }, passwordFile, '9100', []],
    [
      'the user export, without passwords',
      { ...complete, ...bulk, identities },
      null,
      '9100',
      ['passwordHash'],
    ],
    [
      'the user export, without identities',
      { ...complete, ...bulk, identities: undefined, logins_count: 1 },
      passwordFile,
      '9100',
      ['identities'],
    ],
    ['a bulk import file', { ...bulk, blocked: false }, passwordFile, 'auth0|9100', []],
    [
      'a bulk import file without bans',
      { ...bulk, password_hash: '$2b$10$x' },
      null,
      'auth0|9100',
      ['blocked'],
    ],
    [
      'a bulk import file with another password',
      { ...bulk, blocked: false, password_hash: '$2b$10$x' },
      passwordFile.replace('$x', '$y'),
      'auth0|9100',
      ['passwordHash'],
    ],
    ['a file with few fields', bulk, null, 'auth0|9100', ['blocked', 'passwordHash']],
  ])('reads an id without a prefix: %s', async (_, exported, passwords, externalId, leftOut) => {
    const [records] = await readFiles({
      'users.json': JSON.stringify(exported),
      ...(passwords !== null && { 'passwords.json': passwords }),
    });
    expect(records).toHaveLength(1);
    const isReported = leftOut.includes('passwordHash') && !('password_hash' in exported);
    expect(records[0]!.customer).toMatchObject({ externalId, emailVerified: true });
    expect(records[0]!.customer!.passwordHash).toBe(isReported ? undefined : '$2b$10$x');
    expect(fieldsOf(records[0]!)).toEqual(leftOut);
    const isBanKnown = !leftOut.includes('blocked');
    expect(withoutBan(records[0]!).customer!.disabledAt).toBe(isBanKnown ? null : undefined);
  });

  it('reads bulk import files, and does not report users without a password', async () => {
    const users = [
      { ...bulk, password_hash: '$2b$10$x' },
      { ...bulk, user_id: '9101', blocked: true },
    ];
    const [records] = await readFiles({ 'users.json': JSON.stringify(users) });
    expect(records.map(fieldsOf)).toEqual([[], []]);
  });

  it('reads pages from the Management API, and reports a missing password export', async () => {
    const users = [{ ...complete, user_id: 'auth0|1' }];
    const page = { start: 0, limit: 50, length: 1, users, total: 1 };
    for (const content of [JSON.stringify(page), JSON.stringify(page, null, 2)]) {
      const [records, notes] = await readFiles({ 'users.json': content });
      expect(records).toMatchObject([{ sourceId: 'auth0|1', leftOut: [{ field: 'passwordHash' }] }]);
      expect(notes).toHaveLength(1);
    }
  });

  it('reports incomplete pages, and several passwords of a user', async () => {
    const users = [{ ...complete, user_id: 'auth0|1' }];
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

  it('rejects CSV, and passwords that belong to none of the users', async () => {
    const users = JSON.stringify({ ...user, user_id: 'auth0|1' });
    const passwords = JSON.stringify({ _id: { $oid: '2' }, passwordHash: '$2b$10$x' });
    const cases: Record<string, string>[] = [
      { 'users.json': users, 'passwords.json': passwords },
      { 'users.csv': '"user_id","email"\n"auth0|1","ada@example.com"\n' },
    ];
    for (const files of cases) await expect(readFiles(files)).rejects.toMatchObject({ exitCode: 2 });
  });
});
