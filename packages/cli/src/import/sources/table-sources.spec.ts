import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Papa from 'papaparse';
import { reasons } from '../reasons.js';
import { unknown } from '../unknown-reasons.js';
import { withoutBan } from '../without-ban.js';
import type { ImportSource, SourceRecord } from '../source.js';
import { betterAuth } from './better-auth.js';
import { logto } from './logto.js';
import { supertokens } from './supertokens.js';
import { wordpress } from './wordpress.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-tables-'))));
afterAll(() => rmSync(folder, { recursive: true }));

type Rows = Record<string, unknown>[];

/** Reads tables: CSV if the name ends with `.csv`, otherwise a JSON array. */
async function read(
  source: ImportSource,
  tables: Record<string, Rows>,
  values: Record<string, string> = {},
): Promise<SourceRecord[]> {
  const files = Object.keys(tables).map((name) => join(folder, name));
  for (const [name, rows] of Object.entries(tables))
    writeFileSync(join(folder, name), name.endsWith('.csv') ? Papa.unparse(rows) : JSON.stringify(rows));
  const records: SourceRecord[] = [];
  for await (const record of source.read(files, { values })) records.push(record);
  return records;
}

const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

/** A user's columns, the expected customer fields (null: no customer), and the fields that are left out. */
type Case = [columns: Record<string, unknown>, customer: object | null, leftOut: string[]];

function expectCases(records: SourceRecord[], cases: readonly Case[]): void {
  expect(
    records.map((record, index) => [
      record.customer && pick(record.customer, Object.keys(cases[index]?.[1] ?? {})),
      fieldsOf(record),
    ]),
  ).toEqual(cases.map(([, customer, leftOut]) => [customer, leftOut]));
  for (const { reason, remedy } of records.flatMap(({ leftOut }) => leftOut))
    expect(`${reason} ${remedy}`).not.toMatch(/undefined|\.$/);
}

const pick = (value: object, names: string[]): object =>
  Object.fromEntries(names.map((name) => [name, (value as Record<string, unknown>)[name]]));

const BCRYPT = `$2b$10$${'a'.repeat(53)}`;
const FUTURE = '2999-01-01T00:00:00.000Z';
const none = undefined;

describe('better-auth', () => {
  const HASH = `${'a'.repeat(32)}:${'b'.repeat(128)}`;
  const user = {
    name: 'Ada Byron',
    email: 'ada@example.com',
    emailVerified: 't',
    createdAt: '2024-01-02 03:04:05',
  };
  const cases: Case[] = [
    [
      { id: 'password' },
      {
        externalId: 'password',
        emailVerified: true,
        passwordHash: HASH,
        firstName: 'Ada',
        lastName: 'Byron',
      },
      [],
    ],
    [{ id: 'two passwords' }, { passwordHash: HASH }, ['account.password']],
    [
      { id: 'google' },
      { identities: [{ provider: 'google', subject: '7' }], createdAt: '2024-01-02T03:04:05.000Z' },
      [],
    ],
    [{ id: 'unverified', emailVerified: 'f' }, { emailVerified: false, disabledAt: none }, []],
    [
      { id: 'banned', banned: 't', banReason: 'spam' },
      { disabledAt: '2024-01-02T03:04:05.000Z', metadata: { banReason: 'spam' } },
      [],
    ],
    [
      { id: 'banned until', banned: 't', banExpires: FUTURE },
      { disabledAt: expect.any(String) },
      ['banExpires'],
    ],
    [{ id: 'banned once', banned: 't', banExpires: '2025-01-01 00:00:00' }, { disabledAt: none }, []],
    [{ id: 'banned until a date', banned: 't', banExpires: '2025-01-01' }, { disabledAt: none }, []],
    [
      { id: 'ended', banned: 't', banExpires: '1735689600', banReason: 'spam' },
      { disabledAt: none, metadata: none },
      ['banReason'],
    ],
    ...['4102444800', '4102444800000', '2099', '1700000000', '1999-01-01', '2020-01-01', '0'].map(
      (banExpires): Case => [
        { id: `banned until ${banExpires}`, banned: 't', banExpires },
        { disabledAt: '2024-01-02T03:04:05.000Z' },
        ['banExpires'],
      ],
    ),
    [{ id: 'not banned', banned: 'f', banReason: 'spam' }, { disabledAt: none }, ['banReason']],
    [{ id: 'lost', banReason: 'spam' }, { disabledAt: none }, ['banned', 'banReason']],
    [{ id: 'no verification', emailVerified: '' }, { emailVerified: false }, ['emailVerified']],
    [{ id: 'confirmed', twoFactorEnabled: '' }, { totpSecret: none }, ['twoFactor']],
    [
      { id: 'banned badly', banned: '1', banExpires: 'soon' },
      { disabledAt: expect.any(String) },
      ['banExpires'],
    ],
    [{ id: 'nulls', banned: 'null', banExpires: 'NULL', role: 'null' }, { disabledAt: none }, []],
    [{ id: 'admin', role: 'admin' }, {}, ['role']],
    [{ id: 'member', role: 'user' }, {}, []],
    [
      { id: 'encrypted', twoFactorEnabled: 't' },
      { totpSecret: none },
      ['twoFactor.secret', 'twoFactor.backupCodes'],
    ],
    [
      { id: 'decrypted', twoFactorEnabled: 't' },
      { totpSecret: 'IMZGKTRRNZUGSLLHMZNDC2LFMZTHQUKZHAWVSXZTOJUUSSKGIJXQ' },
      [],
    ],
    [{ id: 'without factor', twoFactorEnabled: 't' }, { totpSecret: none }, ['twoFactorEnabled']],
    [{ id: 'never confirmed', twoFactorEnabled: 'f' }, { totpSecret: none }, []],
    [{ id: 'passkey' }, { passkeys: none }, ['passkey']],
    [
      { id: 'more', username: 'ada', phoneNumber: '+1555', stripeCustomerId: 'cus_1' },
      {},
      ['username', 'phoneNumber', 'stripeCustomerId'],
    ],
    [{ id: 'anonymous', isAnonymous: 't' }, null, ['']],
  ];
  const accounts = [
    { userId: 'password', providerId: 'credential', accountId: 'password', password: HASH },
    { userId: 'two passwords', providerId: 'credential', accountId: 'a', password: HASH },
    { userId: 'two passwords', providerId: 'credential', accountId: 'b', password: BCRYPT },
    { userId: 'google', providerId: 'google', accountId: '7', password: '' },
  ];
  // A decrypted secret from better-auth 1.7.25. Its otpauth URL contains the secret above.
  const factors = [
    { userId: 'encrypted', secret: 'ab'.repeat(72), backupCodes: 'cd'.repeat(60), verified: '' },
    { userId: 'decrypted', secret: 'C2eN1nhi-gfZ1ieffxQY8-Y_3riIIFBo', backupCodes: '' },
    { userId: 'never confirmed', secret: 'ab'.repeat(72), backupCodes: 'cd'.repeat(60) },
    { userId: 'confirmed', secret: 'ab'.repeat(72), backupCodes: '', verified: 't' },
  ];
  const passkeys = [{ userId: 'passkey', credentialID: 'AAAA', publicKey: 'pQECAyYg' }];
  const columns = Object.assign({}, ...cases.map(([row]) => row)) as Record<string, unknown>;
  const users = cases.map(([row]) => ({
    ...Object.fromEntries(Object.keys(columns).map((name) => [name, ''])),
    ...user,
    ...row,
  }));

  it('converts each user in CSV files, and reports the values that it leaves out', async () => {
    const tables = {
      'user.csv': users,
      'account.csv': accounts,
      'factor.csv': factors,
      'passkey.csv': passkeys,
    };
    expectCases(await read(betterAuth, tables), cases);
  });

  it('reads columns in snake case, and JSON', async () => {
    const toSnake = (rows: Rows): Rows =>
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase(),
            value,
          ]),
        ),
      );
    const tables = {
      user: toSnake(users),
      account: toSnake(accounts),
      factor: toSnake(factors),
      passkey: toSnake(passkeys),
    };
    const records = await read(betterAuth, tables);
    expect(records.map(({ customer }) => customer?.passwordHash)[0]).toBe(HASH);
    expect(records.map(({ customer }) => Boolean(customer?.disabledAt))).toEqual(
      (await read(betterAuth, { 'user.csv': users, 'account.csv': accounts })).map(({ customer }) =>
        Boolean(customer?.disabledAt),
      ),
    );
  });

  it.each([4_102_444_800, 2099, '2099', { $date: FUTURE }])(
    'keeps a customer disabled, even in an update, if the ban ends at %j',
    async (banExpires) => {
      const row = {
        id: 'a',
        ...user,
        emailVerified: true,
        twoFactorEnabled: false,
        banned: true,
        banExpires,
      };
      const [record] = await read(betterAuth, { user: [row], account: accounts });
      expect(withoutBan(record!).customer!.disabledAt).toBe('2024-01-02T03:04:05.000Z');
      expect(fieldsOf(record!)).toEqual(['banExpires']);
    },
  );

  it('reports values of the wrong type, and does not enable a customer with a contradictory ban', async () => {
    const row = {
      ...{ id: 'a', ...user, emailVerified: null, twoFactorEnabled: null },
      ...{
        banned: null,
        banExpires: 4_102_444_800,
        name: { first: 'Ada' },
        image: ['x'],
        newsletter: false,
        points: 0,
      },
    };
    const factor = { userId: 'a', secret: 'ab'.repeat(72), backupCodes: '', verified: true };
    const [record] = await read(betterAuth, { user: [row], account: accounts, factor: [factor] });
    expect(fieldsOf(record!)).toEqual([
      ...['name', 'emailVerified', 'image', 'twoFactor', 'banned', 'banExpires', 'newsletter', 'points'],
    ]);
    expect(withoutBan(record!).customer).not.toHaveProperty('disabledAt');
  });

  it('reports second factors without their table, and rows of unknown users', async () => {
    const twoFactor = { id: 'a', ...user, twoFactorEnabled: 't', banned: 'f' };
    const [record, orphan] = await read(betterAuth, {
      'user.csv': [twoFactor],
      'account.csv': [{ ...accounts[0], userId: 'b' }],
    });
    expect(record!.leftOut).toMatchObject([
      { field: 'twoFactorEnabled', remedy: 'Also pass the CSV file of the twoFactor table to the command' },
    ]);
    expect(orphan).toMatchObject({ sourceId: 'b', customer: null, leftOut: [reasons.unmatchedRow] });
  });

  it('rejects files without accounts, and other tables', async () => {
    await expect(read(betterAuth, { 'user.csv': users })).rejects.toThrow(
      'None of the files is the table account',
    );
    await expect(read(betterAuth, { 'x.csv': [{ id: 1, token: 2 }] })).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe('logto', () => {
  const hex = 'ab'.repeat(32);
  const totp = { type: 'Totp', key: 'JBSWY3DPEHPK3PXPJBSWY3DP' };
  const cases: Case[] = [
    [
      {
        id: 'argon2i',
        passwordEncrypted: '$argon2i$v=19$m=8192,t=8,p=1$YWJj$YWJj',
        passwordEncryptionMethod: 'Argon2i',
      },
      { externalId: 'argon2i', passwordHash: '$argon2i$v=19$m=8192,t=8,p=1$YWJj$YWJj', emailVerified: true },
      [],
    ],
    [
      { id: 'md5', passwordEncrypted: 'ab'.repeat(16), passwordEncryptionMethod: 'MD5' },
      { passwordHash: none },
      ['passwordEncrypted'],
    ],
    [
      { id: 'd', passwordEncrypted: '$argon2d$v=19$m', passwordEncryptionMethod: 'Argon2d' },
      { passwordHash: none },
      ['passwordEncrypted'],
    ],
    [
      {
        id: 'salted',
        passwordEncrypted: `["sha256",["salt123","@"],"${hex}"]`,
        passwordEncryptionMethod: 'Legacy',
      },
      { passwordHash: expect.stringMatching(/^\$sha256\$pf=e1NBTFR9e1BBU1NXT1JEfQ==\$c2FsdDEyMw==\$/) },
      [],
    ],
    [
      {
        id: 'pbkdf2',
        passwordEncrypted: `["pbkdf2",["salt","1000","32","sha512","@"],"${hex}"]`,
        passwordEncryptionMethod: 'Legacy',
      },
      { passwordHash: expect.stringMatching(/^\$pbkdf2-sha512\$i=1000\$c2FsdA\$/) },
      [],
    ],
    [
      {
        id: 'other',
        passwordEncrypted: `["sha256",["a","@","b"],"${hex}"]`,
        passwordEncryptionMethod: 'Legacy',
      },
      { passwordHash: none },
      ['passwordEncrypted'],
    ],
    [
      { id: 'names of the API', passwordDigest: BCRYPT, passwordAlgorithm: 'Bcrypt' },
      { passwordHash: BCRYPT },
      [],
    ],
    [
      { id: 'MD5 of the API', passwordDigest: 'ab'.repeat(16), passwordAlgorithm: 'MD5' },
      { passwordHash: none },
      ['passwordEncrypted'],
    ],
    [{ id: 'missing', hasPassword: true }, { passwordHash: none }, ['passwordEncrypted']],
    [{ id: 'suspended', isSuspended: true }, { disabledAt: '2024-01-01T00:00:00.000Z' }, []],
    [
      {
        id: 'accounts',
        identities: { google: { userId: '7' } },
        ssoIdentities: [{ issuer: 'https://idp.example', identityId: '8' }],
      },
      {
        identities: [
          { provider: 'google', subject: '7' },
          { provider: 'sso:https://idp.example', subject: '8' },
        ],
      },
      [],
    ],
    [
      { id: 'factors', mfaVerifications: [totp, totp, { type: 'BackupCode' }, { type: 'WebAuthn' }] },
      { totpSecret: totp.key },
      ['mfaVerifications', 'mfaVerifications', 'mfaVerifications'],
    ],
    [
      {
        id: 'profile',
        name: 'Ada',
        profile: { familyName: 'Byron', locale: 'de', website: 'x' },
        customData: { plan: 1 },
      },
      { lastName: 'Byron', locale: 'de', metadata: { plan: 1, profile: { website: 'x' } } },
      ['name'],
    ],
    [
      {
        ...{ id: 'profile with more', name: 'Dr Ada Byron', avatar: 'https://a.example/1' },
        profile: {
          ...{ givenName: 'Ada', familyName: 'Byron', nickname: 'A', preferredUsername: 'ada' },
          ...{ picture: 'https://a.example/2', newsletter: false },
        },
      },
      {
        ...{ firstName: 'Ada', lastName: 'Byron', imageUrl: 'https://a.example/1' },
        metadata: {
          profile: {
            ...{ nickname: 'A', preferredUsername: 'ada' },
            ...{ picture: 'https://a.example/2', newsletter: false },
          },
        },
      },
      ['name'],
    ],
    [
      { id: 'names of the wrong type', name: ['Ada'], profile: { givenName: { a: 1 }, locale: 1.5e300 } },
      { firstName: none },
      ['profile.givenName', 'name', 'profile.locale'],
    ],
    [
      { id: 'suspended in the other file', isSuspended: null, other: 't' },
      { disabledAt: '2024-01-01T00:00:00.000Z' },
      ['other'],
    ],
    [
      { id: 'suspended only in the other file', isSuspended: false, other: 't' },
      { disabledAt: '2024-01-01T00:00:00.000Z' },
      ['other'],
    ],
    [{ id: 'suspension unknown', isSuspended: null }, { disabledAt: none }, ['isSuspended']],
    [
      { id: 'phone', primaryEmail: null, primaryPhone: '1555', username: 'ada' },
      null,
      ['email', 'username', 'primaryPhone'],
    ],
  ];
  const user = {
    ...{ primaryEmail: 'ada@example.com', createdAt: 1_600_000_000_000, updatedAt: 1_704_067_200_000 },
    ...{ isSuspended: false, identities: {}, ssoIdentities: [], customData: {} },
  };
  const SECRETS = ['passwordEncrypted', 'passwordEncryptionMethod', 'mfaVerifications'];

  it('converts users from the Management API with passwords from the database', async () => {
    const users = cases.map(([row]) => ({
      ...user,
      ...Object.fromEntries(Object.entries(row).filter(([name]) => !SECRETS.includes(name))),
    }));
    const passwords = cases.map(([row]) => ({
      id: row['id'],
      password_encrypted: row['passwordEncrypted'] ?? '',
      password_encryption_method: row['passwordEncryptionMethod'] ?? '',
      mfa_verifications: JSON.stringify(row['mfaVerifications'] ?? []),
      is_suspended: row['other'] ?? '',
    }));
    expectCases(await read(logto, { 'users.json': users, 'passwords.csv': passwords }), cases);
    const [orphan] = (
      await read(logto, { 'users.json': users, 'passwords.csv': [{ ...passwords[0], id: 'x' }] })
    ).slice(-1);
    expect(orphan).toMatchObject({ sourceId: 'x', customer: null, leftOut: [reasons.unmatchedPassword] });
  });

  it('converts the table users', async () => {
    const row = {
      id: 'a',
      primary_email: 'ada@example.com',
      password_encrypted: BCRYPT,
      password_encryption_method: 'Bcrypt',
    };
    const more = {
      is_suspended: 'f',
      identities: '{}',
      ...{ custom_data: '{"plan":1}', mfa_verifications: '[]', sso_identities: '' },
      created_at: '2024-01-01 00:00:00+00',
    };
    expectCases(await read(logto, { 'users.csv': [{ ...row, ...more }] }), [
      [
        {},
        {
          passwordHash: BCRYPT,
          metadata: { plan: 1 },
          createdAt: '2024-01-01T00:00:00.000Z',
          disabledAt: none,
        },
        [],
      ],
    ]);
  });
});

describe('supertokens', () => {
  // The test vector in SuperTokens' PasswordHashingTest.java.
  const [HASH, SALT] = [
    'qZM035es5AXYqavsKD6/rhtxg7t5PhcyRgv5blc3doYbChX8keMfQLq1ra96O2Pf2TP/eZrR5xtPCYN6mX3ESA==',
    '/cj0jC1br5o4+w==',
  ];
  const SIGNER = 'gRhC3eDeQOdyEn4bMd9c6kxguWVmcIVq/SKa0JDPFeM6TcEevkaW56sIWfx88OHbJKnCXdWscZx0l2WbCJ1wbg==';
  const F_SCRYPT = `$f_scrypt$${HASH}$${SALT}$m=14$r=8$s=Bw==`;
  const link = (id: string, primary = id) => ({
    user_id: id,
    primary_or_recipe_user_id: primary,
    recipe_id: 'x',
  });
  const account = (id: string, email: string) => ({ user_id: id, email, time_joined: 1_704_067_200_000 });
  const tables = {
    'all.csv': [link('a'), link('b', 'a'), link('c'), link('d'), link('e'), link('f')],
    'emailpassword.csv': [
      { ...account('a', 'ada@example.com'), password_hash: BCRYPT },
      { ...account('c', 'c@example.com'), password_hash: F_SCRYPT },
    ],
    'thirdparty.csv': [
      { ...account('b', 'other@example.com'), third_party_id: 'google', third_party_user_id: '7' },
    ],
    'passwordless.csv': [
      { ...account('d', 'd@example.com'), phone_number: '' },
      { ...account('e', ''), phone_number: '+1555' },
    ],
    'verified.csv': [{ user_id: 'ext-a', email: 'ada@example.com' }],
    'metadata.csv': [{ user_id: 'ext-a', user_metadata: '{"first_name":"Ada","plan":1}' }],
    'roles.csv': [
      { user_id: 'd', role: 'admin' },
      { user_id: 'unknown', role: 'admin' },
    ],
    'totp.csv': [
      { user_id: 'a', device_name: 'x', secret_key: 'JBSWY3DPEHPK3PXPJBSWY3DP', period: 30, verified: 't' },
      { user_id: 'a', device_name: 'y', secret_key: 'JBSWY3DPEHPK3PXPJBSWY3DP', period: 30, verified: 't' },
      { user_id: 'c', device_name: 'x', secret_key: 'JBSWY3DPEHPK3PXPJBSWY3DP', period: 60, verified: 't' },
      { user_id: 'd', device_name: 'x', secret_key: 'JBSWY3DPEHPK3PXPJBSWY3DP', period: 30, verified: 'f' },
    ],
    'mapping.csv': [{ supertokens_user_id: 'a', external_user_id: 'ext-a' }],
  };

  it('merges linked accounts into one customer, and reports the values that it leaves out', async () => {
    expectCases(await read(supertokens, tables), [
      [
        {},
        {
          ...{ externalId: 'ext-a', email: 'ada@example.com', emailVerified: true, passwordHash: BCRYPT },
          ...{ firstName: 'Ada', metadata: { plan: 1 }, createdAt: '2024-01-01T00:00:00.000Z' },
          ...{ identities: [{ provider: 'google', subject: '7' }], totpSecret: 'JBSWY3DPEHPK3PXPJBSWY3DP' },
        },
        ['email', 'totp_user_devices'],
      ],
      [
        {},
        { externalId: 'c', emailVerified: false, passwordHash: none },
        ['password_hash', 'totp_user_devices'],
      ],
      [{}, { externalId: 'd', totpSecret: none }, ['user_roles']],
      [{}, null, ['email', 'phone_number']],
      [{}, null, ['']],
      [{}, null, ['']],
    ]);
  });

  it('converts Firebase hashes with the signer key', async () => {
    const file = join(folder, 'signer.key');
    writeFileSync(file, `${SIGNER}\n`);
    const records = await read(supertokens, tables, { signerKey: file });
    expect(records[1]!.customer?.passwordHash).toBe(
      `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${SIGNER}$${SALT}$${HASH}`,
    );
    await expect(
      read(supertokens, { 'all.csv': tables['all.csv'] }, { signerKey: join(folder, 'none') }),
    ).rejects.toMatchObject({
      exitCode: 2,
    });
  });
});

describe('wordpress', () => {
  const user = {
    user_login: 'ada',
    user_pass: '$P$B44iPs3V0/d42J83rtnf6f6K8b4y7F1',
    user_email: 'ada@example.com',
  };
  const more = {
    user_registered: '2024-01-02 03:04:05',
    user_status: '0',
    display_name: 'ada',
    spam: '0',
    deleted: '0',
  };
  const cases: Case[] = [
    [
      { ID: '1', user_login: 'ada@example.com', display_name: 'Ada Byron' },
      {
        ...{ externalId: '1', emailVerified: false, passwordHash: user.user_pass, disabledAt: none },
        ...{ firstName: 'Ada', lastName: 'Byron', createdAt: '2024-01-02T03:04:05.000Z' },
      },
      [],
    ],
    [{ ID: '2' }, { firstName: 'Ada', lastName: 'King', locale: 'de-DE' }, ['user_login']],
    [{ ID: '3', user_login: user.user_email }, {}, ['capabilities']],
    [
      { ID: '4', user_login: user.user_email, user_pass: 'ab'.repeat(16) },
      { passwordHash: none },
      ['user_pass'],
    ],
    [
      { ID: '5', user_login: user.user_email, user_status: '2' },
      { disabledAt: '2024-01-02T03:04:05.000Z' },
      ['user_status'],
    ],
    [{ ID: '6', user_login: user.user_email, spam: '1' }, { disabledAt: '2024-01-02T03:04:05.000Z' }, []],
    [{ ID: '7', deleted: '1' }, null, ['']],
    [{ ID: '11', user_login: user.user_email, user_pass: '' }, { passwordHash: none }, ['user_pass']],
    [
      { ID: '8', user_login: user.user_email },
      { totpSecret: 'JBSWY3DPEHPK3PXP' },
      ['second factor', '_two_factor_backup_codes'],
    ],
    [{ ID: '9', user_login: user.user_email }, { totpSecret: none }, ['second factor', 'wp_usermeta']],
  ];
  const meta = (id: number, key: string, value: string) => ({
    umeta_id: 1,
    user_id: id,
    meta_key: key,
    meta_value: value,
  });

  it('converts each user with plugin data, and reports the values that it leaves out', async () => {
    const rows = [
      meta(1, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}'),
      meta(1, 'session_tokens', 'a:0:{}'),
      ...[meta(2, 'first_name', 'Ada'), meta(2, 'last_name', 'King'), meta(2, 'locale', 'de_DE')],
      meta(3, 'site_capabilities', 'a:2:{s:8:"customer";b:1;s:13:"administrator";b:1;}'),
      meta(
        8,
        '_two_factor_enabled_providers',
        'a:3:{i:0;s:15:"Two_Factor_Totp";i:1;s:16:"Two_Factor_Email";i:2;s:23:"Two_Factor_Backup_Codes";}',
      ),
      ...[
        meta(8, '_two_factor_totp_key', 'JBSWY3DPEHPK3PXP'),
        meta(8, '_two_factor_backup_codes', 'a:1:{i:0;s:1:"x";}'),
      ],
      ...[meta(9, 'wp_2fa_totp_key', 'encrypted'), meta(9, 'billing_city', 'London')],
      ...[4, 5, 6, 10, 11].map((id) => meta(id, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}')),
    ];
    const users = cases.map(([row]) => ({ ...user, ...more, ...row }));
    const records = await read(wordpress, { 'users.csv': users, 'meta.csv': rows });
    expectCases(records, [...cases, [{}, null, ['wp_usermeta']]]);
  });

  it('rejects users without wp_usermeta, which contains roles and second factors', async () => {
    await expect(read(wordpress, { 'users.csv': [{ ID: 1, ...user }] })).rejects.toThrow('wp_usermeta');
  });
});

/** The tables of a system with one user, and the columns for bans and other booleans. */
interface Flags {
  source: ImportSource;
  tables: (columns: Record<string, unknown>) => Record<string, Rows>;
  /** The ban columns. */
  bans: string[];
  /** The customer fields that other columns set. */
  others: Record<string, string>;
}

const betterAuthTables = (columns: object = {}, others: Record<string, Rows> = {}) => ({
  'user.csv': [
    { id: 'a', email: 'a@example.com', emailVerified: 'f', banned: 'f', twoFactorEnabled: 'f', ...columns },
  ],
  'account.csv': [{ userId: 'a', providerId: 'google', accountId: '7', password: '' }],
  'factor.csv': [{ userId: 'a', secret: 'C2eN1nhi-gfZ1ieffxQY8-Y_3riIIFBo', backupCodes: '' }],
  ...others,
});
const logtoTables = (columns: object = {}, others: Record<string, Rows> = {}) => ({
  'users.csv': [
    {
      ...{ id: 'a', primary_email: 'a@example.com', isSuspended: 'f', identities: '{}', custom_data: '{}' },
      ...{ sso_identities: '', mfa_verifications: '[]', password_encrypted: '', ...columns },
    },
  ],
  ...others,
});
const supertokensTables = (others: Record<string, Rows> = {}) => ({
  'all.csv': [{ user_id: 'a', primary_or_recipe_user_id: 'a', recipe_id: 'emailpassword' }],
  'passwords.csv': [{ user_id: 'a', email: 'a@example.com', password_hash: BCRYPT }],
  'verified.csv': [{ user_id: 'a', email: 'a@example.com' }],
  'metadata.csv': [{ user_id: 'a', user_metadata: '{}' }],
  'roles.csv': [{ user_id: 'a', role: 'x' }],
  'devices.csv': [{ user_id: 'a', secret_key: 'JBSWY3DPEHPK3PXP', verified: 't' }],
  'mapping.csv': [{ supertokens_user_id: 'a', external_user_id: '' }],
  ...others,
});
const wordpressTables = (columns: object = {}, meta: Rows = [{ meta_key: 'nickname', meta_value: 'a' }]) => ({
  'users.csv': [
    {
      ID: '1',
      user_login: 'a@example.com',
      user_pass: BCRYPT,
      user_email: 'a@example.com',
      user_status: '0',
    },
  ].map((row) => ({ ...row, ...columns })),
  'meta.csv': meta.map((row) => ({ user_id: '1', ...row })),
});

const flags: Record<string, Flags> = {
  'better-auth': {
    ...{ source: betterAuth, tables: betterAuthTables, bans: ['banned'] },
    others: { emailVerified: 'emailVerified', twoFactorEnabled: 'totpSecret' },
  },
  logto: { source: logto, tables: logtoTables, bans: ['isSuspended'], others: {} },
  supertokens: {
    source: supertokens,
    tables: ({ verified }) =>
      supertokensTables({
        'devices.csv': [{ user_id: 'a', secret_key: 'JBSWY3DPEHPK3PXP', verified }],
      }),
    ...{ bans: [], others: { verified: 'totpSecret' } },
  },
  wordpress: { source: wordpress, tables: wordpressTables, bans: ['spam', 'user_status'], others: {} },
};

describe.each(Object.entries(flags))('booleans in %s', (_, { source, tables, bans, others }) => {
  const TRUE = ['t', 'true', 'TRUE', 'True', '1', '1.0', 'yes', 'Y'];
  const FALSE = ['f', 'FALSE', 'False', '0', '0.0', 'no', 'N', ''];

  it('reads booleans as databases, spreadsheets and programs write them', async () => {
    for (const [column, field] of [...bans.map((name) => [name, 'disabledAt']), ...Object.entries(others)])
      for (const text of [...TRUE, ...FALSE]) {
        const [record] = await read(source, tables({ [column!]: text }));
        const value = (record!.customer as unknown as Record<string, unknown>)[field!];
        expect([column, text, Boolean(value)]).toEqual([column, text, TRUE.includes(text)]);
      }
  });

  it('keeps the ban and the factor if a boolean cannot be read', async () => {
    for (const column of bans) {
      const [record] = await read(source, tables({ [column]: 'perhaps' }));
      expect(record!.customer?.disabledAt ?? null).toEqual(
        column === 'user_status' ? expect.any(String) : null,
      );
      expect([record!.customer === null, fieldsOf(record!)]).toEqual([column !== 'user_status', [column]]);
    }
    for (const [column, field] of Object.entries(others)) {
      const [record] = await read(source, tables({ [column]: 'perhaps' }));
      expect(Boolean((record!.customer as unknown as Record<string, unknown>)[field])).toBe(false);
      expect(record!.leftOut).toContainEqual(expect.objectContaining(unknown.boolean));
    }
  });
});

/** Returns the tables without a column. */
const omitColumn = (tables: Record<string, Rows>, column: string): Record<string, Rows> =>
  Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [
      name,
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([each]) => each !== column))),
    ]),
  );

it.each<[name: string, source: ImportSource, tables: Record<string, Rows>, leftOut: string[]]>([
  ['banned', betterAuth, omitColumn(betterAuthTables(), 'banned'), ['banned']],
  ['twoFactorEnabled', betterAuth, omitColumn(betterAuthTables(), 'twoFactorEnabled'), ['twoFactorEnabled']],
  ['isSuspended', logto, omitColumn(logtoTables(), 'isSuspended'), ['isSuspended']],
  ['mfa_verifications', logto, omitColumn(logtoTables(), 'mfa_verifications'), ['mfaVerifications']],
  ['password_encrypted', logto, omitColumn(logtoTables(), 'password_encrypted'), ['passwordEncrypted']],
  ['user_status', wordpress, omitColumn(wordpressTables(), 'user_status'), ['user_status']],
  [
    'the columns spam and deleted of a network',
    wordpress,
    wordpressTables({}, [{ meta_key: 'primary_blog', meta_value: '1' }]),
    ['spam', 'deleted'],
  ],
  ['a value of user_status', wordpress, wordpressTables({ user_status: '' }), ['user_status']],
  [
    'the values of spam and deleted in a network',
    wordpress,
    wordpressTables({ spam: '', deleted: '' }, [{ meta_key: 'primary_blog', meta_value: '1' }]),
    ['spam', 'deleted'],
  ],
  ['a value of is_suspended', logto, logtoTables({ isSuspended: '' }), ['isSuspended']],
  [
    'several values from Logto',
    logto,
    logtoTables({ identities: '', custom_data: 'null', mfa_verifications: '' }),
    ['identities', 'mfaVerifications', 'customData'],
  ],
])(
  'reports a missing column or value, and enables no customer with an unknown ban: %s',
  async (_, source, tables, names) => {
    const [record] = await read(source, tables);
    expect(fieldsOf(record!)).toEqual(names);
    const isBan = ['banned', 'isSuspended', 'user_status', 'spam'].includes(names[0]!);
    if (isBan) expect(withoutBan(record!).customer).not.toHaveProperty('disabledAt');
  },
);

it('does not enable customers from a system that does not store bans', async () => {
  for (const [source, tables] of [
    [supertokens, supertokensTables()],
    [wordpress, wordpressTables()],
  ] as const)
    expect(withoutBan((await read(source, tables))[0]!).customer).not.toHaveProperty('disabledAt');
  expect(withoutBan((await read(logto, logtoTables()))[0]!).customer).toHaveProperty('disabledAt', null);
});

it.each(['Banned', 'BANNED', 'banned_'])(
  'rejects a table with both spellings: banned and %s',
  async (name) => {
    const tables = betterAuthTables({ banned: 't', [name]: '' });
    await expect(read(betterAuth, tables)).rejects.toThrow('in two spellings');
  },
);

it('does not import a JSON row with both spellings of a column', async () => {
  const rows = [{ id: 'b' }, { id: 'a', banned: true, Banned: '' }].map((row) => ({
    ...{ email: 'a@example.com', emailVerified: true, twoFactorEnabled: false, ...row },
  }));
  const { 'account.csv': accounts } = betterAuthTables();
  const records = await read(betterAuth, { user: rows, 'account.csv': accounts });
  expect(records[1]).toMatchObject({ customer: null, leftOut: [reasons.invalidRecord] });
});

describe('rows in other tables', () => {
  it.each<[name: string, tables: Record<string, Rows>, customer: object, leftOut: string[]]>([
    [
      'a credential without a password',
      betterAuthTables({}, { 'account.csv': [{ userId: 'a', providerId: 'credential', accountId: 'a' }] }),
      { passwordHash: none },
      ['account.password'],
    ],
    [
      'two authenticator apps',
      betterAuthTables(
        { twoFactorEnabled: 't' },
        {
          'factor.csv': ['one', 'two'].map((name) => ({
            ...{ userId: 'a', secret: `C2eN1nhi-gfZ1ieffxQY8-Y_3riI-${name}`, backupCodes: '' },
          })),
        },
      ),
      { totpSecret: expect.any(String) },
      ['twoFactor'],
    ],
  ])('reports problems in rows from Better Auth: %s', async (_, tables, customer, leftOut) =>
    expectCases(await read(betterAuth, tables), [[{}, customer, leftOut]]),
  );

  it('reports missing rows for each Better Auth user if the table is empty', async () => {
    const file = join(folder, 'empty-account.csv');
    writeFileSync(file, 'userId,providerId,accountId,password\n');
    const { 'user.csv': users } = betterAuthTables();
    writeFileSync(join(folder, 'user.csv'), Papa.unparse(users));
    const fields: string[] = [];
    for await (const record of betterAuth.read([join(folder, 'user.csv'), file], { values: {} }))
      fields.push(...fieldsOf(record));
    expect(fields).toEqual(['account']);
  });

  it.each<[name: string, users: object, passwords: object, customer: object | null, leftOut: string[]]>([
    [
      'empty cells',
      { isSuspended: true, identities: { google: { userId: '7' } } },
      { is_suspended: '', identities: '', password_encrypted: BCRYPT },
      {
        disabledAt: expect.any(String),
        identities: [{ provider: 'google', subject: '7' }],
        passwordHash: BCRYPT,
      },
      [],
    ],
    [
      'an expired password',
      {},
      { password_encrypted: BCRYPT, is_password_expired: 't' },
      { passwordHash: none },
      ['passwordEncrypted'],
    ],
    [
      'Python literals',
      { identities: "{'google': {'userId': '7'}}", customData: "{'plan': 1}" },
      { mfa_verifications: "[{'type': 'Totp'}]" },
      { identities: none, totpSecret: none, metadata: none },
      ['customData', 'mfaVerifications', 'identities'],
    ],
  ])('merges rows from Logto without losing values: %s', async (_, columns, passwords, customer, leftOut) => {
    const user = {
      ...{ id: 'a', primaryEmail: 'a@example.com', hasPassword: false, isSuspended: false, identities: {} },
      ...{ ssoIdentities: [], mfaVerifications: [], customData: {}, ...columns },
    };
    const tables = {
      'users.json': [user],
      'passwords.csv': [{ id: 'a', password_encrypted: '', password_encryption_method: '', ...passwords }],
    };
    expectCases(await read(logto, tables), [[{}, customer, leftOut]]);
  });

  it('reports rows from Logto with the same id', async () => {
    const rows = [BCRYPT, ''].map((hash) => ({ id: 'a', password_encrypted: hash }));
    const [other, user] = await read(logto, {
      'users.json': [{ id: 'a', primaryEmail: 'a@example.com' }],
      'passwords.csv': rows,
    });
    expect(other).toMatchObject({ customer: null, leftOut: [{ field: 'passwordEncrypted' }] });
    expect(user!.customer).toMatchObject({ passwordHash: BCRYPT });
  });

  it.each<[name: string, others: Record<string, Rows>, customer: object, leftOut: string[]]>([
    [
      'a linked account that no table contains',
      {
        'all.csv': ['emailpassword', 'thirdparty'].map((recipe) => ({
          ...{ user_id: recipe === 'thirdparty' ? 'b' : 'a', primary_or_recipe_user_id: 'a' },
          recipe_id: recipe,
        })),
      },
      { passwordHash: BCRYPT },
      ['thirdparty', 'user_roles'],
    ],
    [
      'an account without a password',
      { 'passwords.csv': [{ user_id: 'a', email: 'a@example.com', password_hash: '' }] },
      { passwordHash: none },
      ['password_hash', 'user_roles'],
    ],
    [
      'metadata of linked accounts',
      {
        'all.csv': ['a', 'b'].map((id) => ({
          ...{ user_id: id, primary_or_recipe_user_id: 'a', recipe_id: 'emailpassword' },
        })),
        'passwords.csv': ['a', 'b'].map((id) => ({
          ...{ user_id: id, email: 'a@example.com', password_hash: id === 'a' ? BCRYPT : '' },
        })),
        'metadata.csv': [
          { user_id: 'a', user_metadata: '{"plan":1,"same":[1]}' },
          { user_id: 'b', user_metadata: '{"plan":2,"same":[1],"more":3}' },
        ],
      },
      { metadata: { plan: 1, same: [1], more: 3 } },
      ['plan', 'user_roles'],
    ],
    [
      'names of the wrong type',
      { 'metadata.csv': [{ user_id: 'a', user_metadata: '{"first_name":{"a":1},"last_name":["Byron"]}' }] },
      { firstName: none, metadata: { first_name: { a: 1 }, last_name: ['Byron'] } },
      ['user_roles'],
    ],
    [
      'the same rows twice',
      {
        'passwords.csv': [1, 2].map(() => ({
          ...{ user_id: 'a', email: 'a@example.com', password_hash: BCRYPT },
        })),
        'devices.csv': [1, 2].map(() => ({ user_id: 'a', secret_key: 'JBSWY3DPEHPK3PXP', verified: 't' })),
        'thirdparty.csv': [1, 2].map(() => ({
          ...{ user_id: 'a', third_party_id: 'google', third_party_user_id: '7' },
        })),
      },
      { passwordHash: BCRYPT, identities: [{ provider: 'google', subject: '7' }] },
      ['user_roles'],
    ],
    [
      'another password with the same id',
      {
        'passwords.csv': [BCRYPT, `${BCRYPT}2`].map((hash) => ({
          ...{ user_id: 'a', email: 'a@example.com', password_hash: hash },
        })),
      },
      { passwordHash: BCRYPT },
      ['password_hash', 'user_roles'],
    ],
    [
      'an account without an id',
      { 'thirdparty.csv': [{ user_id: 'a', third_party_id: 'google', third_party_user_id: '' }] },
      { identities: none },
      ['thirdparty_users', 'user_roles'],
    ],
    [
      'an app that does not state whether it is confirmed',
      { 'devices.csv': [{ user_id: 'a', secret_key: 'JBSWY3DPEHPK3PXP', verified: '' }] },
      { totpSecret: none },
      ['totp_user_devices', 'user_roles'],
    ],
    [
      'a recipe with the name of a property',
      {
        'all.csv': [{ user_id: 'a', primary_or_recipe_user_id: 'a', recipe_id: 'constructor' }],
      },
      { passwordHash: BCRYPT },
      ['user_roles'],
    ],
    [
      'metadata with the name __proto__',
      { 'metadata.csv': [{ user_id: 'a', user_metadata: '{"__proto__":{"a":1},"plan":1}' }] },
      { metadata: { plan: 1 } },
      ['__proto__', 'user_roles'],
    ],
  ])('imports or reports rows from SuperTokens: %s', async (_, others, customer, leftOut) =>
    expectCases(await read(supertokens, supertokensTables(others)), [[{}, customer, leftOut]]),
  );

  it('reports missing rows for each SuperTokens user if a table is missing', async () => {
    const { 'all.csv': all, 'passwords.csv': passwords } = supertokensTables();
    const records = await read(supertokens, { 'all.csv': all, 'passwords.csv': passwords });
    expectCases(records, [
      [
        {},
        { emailVerified: false, totpSecret: none },
        [
          ...['emailverification_verified_emails', 'user_metadata', 'user_roles', 'totp_user_devices'],
          'userid_mapping',
        ],
      ],
    ]);
  });

  it.each<[name: string, meta: Rows, leftOut: string[]]>([
    ['no row for the user', [{ user_id: '2', meta_key: 'nickname', meta_value: 'a' }], ['wp_usermeta']],
    [
      'roles as JSON',
      [{ meta_key: 'wp_capabilities', meta_value: '{"administrator":true}' }],
      ['wp_capabilities'],
    ],
    [
      'factors as JSON',
      [{ meta_key: '_two_factor_enabled_providers', meta_value: '["Two_Factor_Totp"]' }],
      ['_two_factor_enabled_providers'],
    ],
  ])('reports problems in rows from WordPress: %s', async (_, meta, leftOut) => {
    const [record] = await read(wordpress, wordpressTables({}, meta));
    expect([record!.customer?.externalId, fieldsOf(record!)]).toEqual(['1', leftOut]);
  });
});

describe('a placeholder that a database writes for an empty name', () => {
  const logtoNames = (profile: object, name: string) =>
    logtoTables({ profile: JSON.stringify(profile), name });
  const wordpressNames = (first: string, display: string) =>
    wordpressTables({ display_name: display }, [{ meta_key: 'first_name', meta_value: first }]);

  it.each<[name: string, source: ImportSource, tables: Record<string, Rows>, leftOut: string[]]>([
    ['Better Auth, NULL', betterAuth, betterAuthTables({ name: 'NULL' }), ['name']],
    ['Better Auth, \\N', betterAuth, betterAuthTables({ name: '\\N' }), []],
    ['Better Auth, null', betterAuth, betterAuthTables({ name: 'null' }), ['name']],
    ['Logto, NULL', logto, logtoNames({}, 'NULL'), ['name']],
    ['Logto, \\N', logto, logtoNames({}, '\\N'), []],
    ['Logto, profile', logto, logtoNames({ givenName: 'NULL' }, ''), ['profile.givenName']],
    ['WordPress, NULL', wordpress, wordpressNames('NULL', 'NULL'), ['first_name']],
    ['WordPress, display name', wordpress, wordpressNames('', 'NULL'), ['display_name']],
    ['WordPress, \\N', wordpress, wordpressNames('\\N', '\\N'), []],
  ])('leaves the name unset: %s', async (_, source, tables, leftOut) =>
    expectCases(await read(source, tables), [[{}, { firstName: none, lastName: none }, leftOut]]),
  );

  it('keeps the name Null', async () => {
    const [record] = await read(betterAuth, betterAuthTables({ name: 'Ada Null' }));
    expect(record!.customer).toMatchObject({ firstName: 'Ada', lastName: 'Null' });
  });
});

describe('wp_usermeta as JSON from WP-CLI', () => {
  const row = (key: string, value: unknown) => ({ user_id: '1', meta_key: key, meta_value: value });
  const totp = row('_two_factor_totp_key', 'JBSWY3DPEHPK3PXP');

  it.each<[name: string, rows: Rows, customer: object, leftOut: string[]]>([
    [
      'a list of factors',
      [row('_two_factor_enabled_providers', ['Two_Factor_Totp', 'Two_Factor_Email']), totp],
      { totpSecret: 'JBSWY3DPEHPK3PXP' },
      ['second factor'],
    ],
    [
      'a list with gaps',
      [row('_two_factor_enabled_providers', { 1: 'Two_Factor_Totp' }), totp],
      { totpSecret: 'JBSWY3DPEHPK3PXP' },
      [],
    ],
    ['no factors', [row('_two_factor_enabled_providers', []), totp], { totpSecret: none }, []],
    ['no list of factors', [totp], { totpSecret: none }, ['_two_factor_enabled_providers']],
    ['roles', [row('wp_capabilities', { administrator: true })], {}, ['capabilities']],
    ['roles that are off', [row('wp_capabilities', { administrator: false, customer: 1 })], {}, []],
    ['unreadable roles', [row('wp_capabilities', true)], {}, ['wp_capabilities']],
    ['roles in a list', [row('wp_capabilities', [{ administrator: true }])], {}, ['wp_capabilities']],
    ['a name', [row('first_name', { a: 'Ada' })], { firstName: none }, ['first_name']],
    ['a secret', [row('_two_factor_totp_key', { a: 1 })], { totpSecret: none }, ['_two_factor_totp_key']],
    ['other plugins', [row('billing', { city: 'London' }), row('points', 0)], {}, ['wp_usermeta']],
    ['backup codes', [row('_two_factor_backup_codes', ['x'])], {}, []],
  ])('reads or reports: %s', async (_, meta, customer, leftOut) => {
    const { 'users.csv': users } = wordpressTables();
    expectCases(await read(wordpress, { 'users.csv': users, 'meta.json': meta }), [[{}, customer, leftOut]]);
  });

  it('reports a display name that differs from the first and last name', async () => {
    const meta = [
      { meta_key: 'first_name', meta_value: 'Ada' },
      { meta_key: 'last_name', meta_value: 'King' },
    ];
    for (const [display, leftOut] of [
      ['Ada King', []],
      ['Countess', ['display_name']],
    ] as const)
      expect(fieldsOf((await read(wordpress, wordpressTables({ display_name: display }, meta)))[0]!)).toEqual(
        leftOut,
      );
  });
});

describe('files from several tenants', () => {
  const all = (user_id: string, tenant: object) => ({
    ...{ user_id, primary_or_recipe_user_id: user_id, recipe_id: 'emailpassword', ...tenant },
  });
  const logtoUser = { primary_email: 'a@example.com' };

  it.each<[name: string, source: ImportSource, tables: Record<string, Rows>]>([
    [
      'several Logto tenants',
      logto,
      {
        'users.csv': [
          { ...logtoUser, id: 'a', tenant_id: 'admin' },
          { ...logtoUser, id: 'b', tenant_id: 'default' },
        ],
      },
    ],
    [
      'several SuperTokens apps',
      supertokens,
      { 'all.csv': [all('a', { app_id: 'public' }), all('b', { app_id: 'admin-app' })] },
    ],
    [
      'several SuperTokens tenants',
      supertokens,
      { 'all.csv': [all('a', { tenant_id: 'public' }), all('b', { tenant_id: 'acme' })] },
    ],
  ])('rejects files with users of %s', async (_, source, tables) =>
    expect(read(source, tables)).rejects.toMatchObject({ exitCode: 2 }),
  );

  it('accepts the files if every SuperTokens user belongs to all tenants', async () => {
    const rows = [all('a', { tenant_id: 'public' }), all('a', { tenant_id: 'acme' })];
    expect(await read(supertokens, supertokensTables({ 'all.csv': rows }))).toHaveLength(1);
  });
});
