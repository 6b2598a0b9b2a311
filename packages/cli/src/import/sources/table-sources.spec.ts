import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Papa from 'papaparse';
import { reasons } from '../reasons.js';
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

/** A case: the columns of a user, some fields of the customer or null, and the fields that are left out. */
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
    [{ id: 'banned once', banned: 't', banExpires: '2020-01-01 00:00:00' }, { disabledAt: none }, []],
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
  // A decrypted secret of better-auth 1.7.25, and the one of its otpauth URL above.
  const factors = [
    { userId: 'encrypted', secret: 'ab'.repeat(72), backupCodes: 'cd'.repeat(60) },
    { userId: 'decrypted', secret: 'C2eN1nhi-gfZ1ieffxQY8-Y_3riIIFBo', backupCodes: '' },
    { userId: 'never confirmed', secret: 'ab'.repeat(72), backupCodes: 'cd'.repeat(60) },
  ];
  const passkeys = [{ userId: 'passkey', credentialID: 'AAAA', publicKey: 'pQECAyYg' }];
  const columns = Object.assign({}, ...cases.map(([row]) => row)) as Record<string, unknown>;
  const users = cases.map(([row]) => ({
    ...Object.fromEntries(Object.keys(columns).map((name) => [name, ''])),
    ...user,
    ...row,
  }));

  it('converts each user of CSV files, and names what it leaves out', async () => {
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

  it('names second factors without their table, and rows of unknown users', async () => {
    const twoFactor = { id: 'a', ...user, twoFactorEnabled: 't' };
    const [record, orphan] = await read(betterAuth, {
      'user.csv': [twoFactor],
      'account.csv': [{ ...accounts[0], userId: 'b' }],
    });
    expect(record!.leftOut).toMatchObject([
      { field: 'twoFactorEnabled', remedy: 'Add the table twoFactor to the command' },
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
      [],
    ],
    [
      { id: 'phone', primaryEmail: null, primaryPhone: '1555', username: 'ada' },
      null,
      ['email', 'username', 'primaryPhone'],
    ],
  ];
  const user = {
    primaryEmail: 'ada@example.com',
    createdAt: 1_600_000_000_000,
    updatedAt: 1_704_067_200_000,
  };
  const SECRETS = ['passwordEncrypted', 'passwordEncryptionMethod', 'mfaVerifications'];

  it('converts users of the Management API with the passwords of the database', async () => {
    const users = cases.map(([row]) => ({
      ...user,
      ...Object.fromEntries(Object.entries(row).filter(([name]) => !SECRETS.includes(name))),
    }));
    const passwords = cases.map(([row]) => ({
      id: row['id'],
      password_encrypted: row['passwordEncrypted'] ?? '',
      password_encryption_method: row['passwordEncryptionMethod'] ?? '',
      mfa_verifications: JSON.stringify(row['mfaVerifications'] ?? []),
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
      custom_data: '{"plan":1}',
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
  // The vector of PasswordHashingTest.java of SuperTokens.
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

  it('joins linked accounts to one customer, and names what it leaves out', async () => {
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

  it('converts hashes of Firebase with the signer key', async () => {
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

  it('converts each user with what the plugins store, and names what it leaves out', async () => {
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
      meta(10, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}'),
    ];
    const users = cases.map(([row]) => ({ ...user, ...more, ...row }));
    const records = await read(wordpress, { 'users.csv': users, 'meta.csv': rows });
    expectCases(records, [...cases, [{}, null, ['wp_usermeta']]]);
  });

  it('rejects users without wp_usermeta, which contains roles and second factors', async () => {
    await expect(read(wordpress, { 'users.csv': [{ ID: 1, ...user }] })).rejects.toThrow('wp_usermeta');
  });
});
