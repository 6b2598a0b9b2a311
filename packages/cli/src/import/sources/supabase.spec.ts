import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Papa from 'papaparse';
import type { SourceRecord } from '../source.js';
import { supabase } from './supabase.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-supabase-'))));
afterAll(() => rmSync(folder, { recursive: true }));

type Files = Record<string, string>;

async function readFiles(files: Files): Promise<{ records: SourceRecord[]; notes: string[] }> {
  const paths = Object.keys(files).map((name) => join(folder, name));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const [records, notes]: [SourceRecord[], string[]] = [[], []];
  const note = async (text: string) => void notes.push(text);
  for await (const record of supabase.read(paths, { values: {}, note })) records.push(record);
  return { records, notes };
}

const id = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** A row in `auth.users`, as PostgreSQL returns it to the SQL editor. */
const row = (index: number, more: Record<string, unknown> = {}) => ({
  instance_id: id(0),
  id: id(index),
  aud: 'authenticated',
  role: 'authenticated',
  email: `person-${index}@example.com`,
  encrypted_password: `$2a$10$${'a'.repeat(53)}`,
  email_confirmed_at: '2024-01-02 03:04:05.678901+00' as string | null,
  invited_at: null,
  confirmation_token: '',
  last_sign_in_at: null,
  raw_app_meta_data: { provider: 'email', providers: ['email'], plan: 'pro' } as object | null,
  raw_user_meta_data: { full_name: 'Christopher Null', note: null } as object | null,
  is_super_admin: null,
  created_at: '2024-01-02 03:04:05.678901+00',
  updated_at: '2024-01-03 03:04:05.678901+00',
  phone: null,
  phone_confirmed_at: null,
  confirmed_at: null,
  banned_until: null,
  is_sso_user: false,
  deleted_at: null,
  is_anonymous: false,
  ...more,
});

/** Writes rows as the Supabase SQL editor does (`Results.utils.ts` in Studio): objects, including null, as JSON. */
const fromSqlEditor = (rows: Record<string, unknown>[]): string =>
  Papa.unparse(
    rows.map((each) =>
      Object.fromEntries(
        Object.entries(each).map(([name, value]) => [
          name,
          typeof value === 'object' ? JSON.stringify(value) : value,
        ]),
      ),
    ),
  );

/** Writes rows as `\copy … CSV HEADER` does. */
const fromPsql = (rows: Record<string, unknown>[]): string =>
  Papa.unparse(
    rows.map((each) =>
      Object.fromEntries(
        Object.entries(each).map(([name, value]) => [
          name,
          typeof value === 'boolean'
            ? String(value)[0]
            : value !== null && typeof value === 'object'
              ? JSON.stringify(value)
              : value,
        ]),
      ),
    ),
  );

const identities = 'user_id,provider,provider_id\n';
const factors = 'user_id,factor_type,status,secret\n';

const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

describe.each([
  ['the SQL editor', fromSqlEditor],
  ['psql', fromPsql],
])('users in a file from %s', (_, write) => {
  it('imports users as active, and as verified only with a confirmed address', async () => {
    const rows = Array.from({ length: 1_000 }, (__, index) =>
      row(index, index === 7 ? { email_confirmed_at: null, raw_user_meta_data: null } : {}),
    );
    const related = {
      'identities.csv': write([
        {
          provider_id: 'g-1',
          user_id: id(1),
          identity_data: { sub: 'g-1' },
          provider: 'google',
          email: null,
        },
      ]),
      'factors.csv': write([
        {
          ...{ id: id(9), user_id: id(2), friendly_name: null, factor_type: 'totp', status: 'verified' },
          ...{ secret: 'JBSWY3DPEHPK3PXP', phone: null, last_challenged_at: null },
        },
        { user_id: id(3), factor_type: 'totp', status: 'verified', secret: null },
      ]),
    };
    const { records, notes } = await readFiles({ 'users.csv': write(rows), ...related });
    expect(notes).toEqual([]);
    expect(records).toHaveLength(1_000);
    expect(records.filter(({ customer }) => customer?.disabledAt)).toEqual([]);
    expect(
      records.filter(({ customer }) => !customer?.emailVerified).map(({ sourceId }) => sourceId),
    ).toEqual([id(7)]);
    expect(records.flatMap((record) => fieldsOf(record))).toEqual(['mfa_factors']);
    expect(records[0]!.customer).toEqual({
      ...{ id: id(0), externalId: id(0), email: 'person-0@example.com', emailVerified: true },
      ...{ createdAt: '2024-01-02T03:04:05.678Z', updatedAt: '2024-01-03T03:04:05.678Z' },
      passwordHash: expect.stringMatching(/^\$2a\$10\$a+$/),
      metadata: { plan: 'pro' },
      publicMetadata: { full_name: 'Christopher Null', note: null },
      ...{ firstName: 'Christopher', lastName: 'Null' },
    });
    expect(records[1]!.customer).toMatchObject({ identities: [{ provider: 'google', subject: 'g-1' }] });
    expect(records[2]!.customer).toMatchObject({ totpSecret: 'JBSWY3DPEHPK3PXP' });
    expect(records[3]!.customer).not.toHaveProperty('totpSecret');
    expect(records[7]!.customer).not.toHaveProperty('publicMetadata');
  });

  it('reads users as deleted, disabled or anonymous only if the file states it', async () => {
    const future = '2999-01-01 00:00:00+00';
    const rows = [
      row(1, { deleted_at: future }),
      row(2, { is_anonymous: true }),
      row(3, { banned_until: future }),
      row(4, { is_sso_user: true }),
      row(5, { is_sso_user: false }),
    ];
    const sso = `${identities}${id(5)},sso:1,ada\n`;
    const { records } = await readFiles({ 'users.csv': write(rows), 'i.csv': sso, 'f.csv': factors });
    expect(records).toMatchObject([
      { customer: null, leftOut: [{ reason: 'The user is deleted' }] },
      { customer: null, leftOut: [{ reason: 'The user is anonymous' }] },
      { customer: { disabledAt: '2024-01-03T03:04:05.678Z' }, leftOut: [{ field: 'banned_until' }] },
      { customer: { emailVerified: false }, leftOut: [{ field: 'email_confirmed_at' }] },
      { customer: { emailVerified: false }, leftOut: [{ field: 'email_confirmed_at' }] },
    ]);
  });
});

it.each([
  ['deleted_at', 'yesterday', { emailVerified: true }, ['deleted_at']],
  ['deleted_at', '0', { emailVerified: true }, ['deleted_at']],
  ['email_confirmed_at', 'yes', { emailVerified: false }, ['email_confirmed_at']],
  ['email_confirmed_at', '2024-13-45 00:00:00+00', { emailVerified: false }, ['email_confirmed_at']],
  ['email_confirmed_at', 'NULL', { emailVerified: false }, []],
  ['email_confirmed_at', String.raw`\N`, { emailVerified: false }, []],
  ['banned_until', 'forever', null, ['banned_until']],
  ['banned_until', 'NaN', null, ['banned_until']],
  ['banned_until', '12024-01-01 00:00:00+00', { disabledAt: '2024-01-03T03:04:05.678Z' }, ['banned_until']],
  ['banned_until', '-infinity', { disabledAt: undefined }, []],
  ['is_sso_user', '2', { emailVerified: false }, ['is_sso_user']],
  ['is_anonymous', '?', { emailVerified: true }, ['is_anonymous']],
  ['is_super_admin', 't', { emailVerified: true }, ['is_super_admin']],
  ['is_super_admin', 'f', { emailVerified: true }, []],
  ['is_super_admin', '2', { emailVerified: true }, ['is_super_admin']],
  ['role', 'service_role', { emailVerified: true }, ['role']],
  ['role', 'anon', { emailVerified: true }, []],
  ['last_sign_in_at', 'never', { lastLoginAt: undefined }, ['last_sign_in_at']],
  ['raw_app_meta_data', '[1]', { metadata: undefined }, ['raw_app_meta_data']],
])(
  'reads %s with the value %j, and reports a value that is lost',
  async (column, value, customer, leftOut) => {
    const files = {
      'users.csv': fromPsql([row(1, { [column]: value })]),
      'i.csv': identities,
      'f.csv': factors,
    };
    const { records } = await readFiles(files);
    expect(records).toHaveLength(1);
    if (customer === null) expect(records[0]!.customer).toBeNull();
    else
      expect(records[0]!.customer).toMatchObject(
        Object.fromEntries(Object.entries(customer).filter(([, expected]) => expected !== undefined)),
      );
    for (const name of Object.keys(customer ?? {}))
      expect([name, records[0]!.customer?.[name as 'metadata']]).toEqual([
        name,
        (customer as Record<string, unknown>)[name],
      ]);
    expect(fieldsOf(records[0]!)).toEqual(leftOut);
  },
);

it.each([
  [{ raw_app_meta_data: { providers: ['sso:1'] } }, '', false, ['email_confirmed_at', 'identity sso:1']],
  [{ raw_app_meta_data: { provider: 'sso:1' } }, '', false, ['email_confirmed_at', 'identity sso:1']],
  [{ raw_app_meta_data: { provider: 'SSO:1' } }, '', false, ['email_confirmed_at', 'identity sso:1']],
  [{ raw_app_meta_data: {} }, `${id(1)},SSO:1,ada\n`, false, ['email_confirmed_at']],
  [{ raw_app_meta_data: {} }, '', false, ['is_sso_user']],
  [{ raw_app_meta_data: {} }, `${id(1)},google,g-1\n`, true, []],
  [{ raw_app_meta_data: { providers: ['email'] } }, '', true, []],
])(
  'reads a user with %j from a file without the column is_sso_user',
  async (more, accounts, emailVerified, leftOut) => {
    const { is_sso_user: _, ...others } = row(1, more);
    const files = { 'users.csv': fromPsql([others]), 'i.csv': `${identities}${accounts}`, 'f.csv': factors };
    const { records } = await readFiles(files);
    expect(records).toMatchObject([{ customer: { emailVerified } }]);
    expect(fieldsOf(records[0]!)).toEqual(leftOut);
  },
);

it.each([
  [{ raw_app_meta_data: {} }, false, ['is_sso_user']],
  [{ raw_app_meta_data: {}, email_confirmed_at: null }, false, []],
  [{ raw_app_meta_data: { provider: 'email' } }, true, []],
])('reads an empty is_sso_user as a lost value: %j', async (more, emailVerified, leftOut) => {
  const files = { 'users.csv': fromPsql([row(1, { is_sso_user: null, ...more })]), 'i.csv': identities };
  const { records } = await readFiles({ ...files, 'f.csv': factors });
  expect(records).toMatchObject([{ customer: { emailVerified } }]);
  expect(fieldsOf(records[0]!)).toEqual(leftOut);
});

it.each([
  [{ provider: 'google' }, ['identity google']],
  [{ provider: 'google', providers: null }, ['identity google']],
  [{ provider: 'Google', providers: [] }, ['identity google']],
  [
    { provider: 'google', providers: [{ name: 'google' }] },
    ['raw_app_meta_data.providers', 'identity google'],
  ],
  [{ provider: { name: 'google' } }, ['raw_app_meta_data.provider']],
  [{ provider: 'email', providers: ['email', 'google'] }, ['identity google']],
  [{ provider: 'google', providers: ['google'] }, ['identity google']],
  [{ provider: 'email', providers: 'google' }, ['identity google']],
  [{ provider: 'email' }, []],
])('reports an account that is only in raw_app_meta_data: %j', async (metadata, leftOut) => {
  const files = { 'users.csv': fromPsql([row(1, { raw_app_meta_data: metadata })]), 'i.csv': identities };
  const { records } = await readFiles({ ...files, 'f.csv': factors });
  expect(records.map(fieldsOf)).toEqual([leftOut]);
});

it('reports a remedy for a deleted user that an earlier import created', async () => {
  const files = { 'users.csv': fromPsql([row(1, { deleted_at: '2024-01-02 03:04:05+00' })]) };
  const { records } = await readFiles({ ...files, 'i.csv': identities, 'f.csv': factors });
  expect(records).toMatchObject([{ leftOut: [{ remedy: expect.stringMatching(/^Delete or disable/) }] }]);
});

it('reports unknown identities, factors, passwords, metadata and bans', async () => {
  const app = { raw_app_meta_data: { providers: ['email', 'google', 'sso:acme'] } };
  const google = `${identities}${id(1)},google,g-1\n`;
  const sso = ['email_confirmed_at'];
  const bare = { id: id(1), email: 'ada@example.com' };
  const all = [
    ...['banned_until', 'encrypted_password', 'raw_app_meta_data', 'raw_user_meta_data'],
    ...['email_confirmed_at', 'deleted_at', 'is_anonymous', 'role', 'is_super_admin'],
  ];
  for (const [rows, more, expected, noteCount] of [
    [[row(1, app)], {}, [...sso, 'mfa_factors', 'identity google', 'identity sso:acme'], 2],
    [[row(1, app)], { 'i.csv': google, 'f.csv': factors }, [...sso, 'identity sso:acme'], 0],
    [[row(1)], { 'f.csv': factors }, [], 1],
    [[bare], { 'f.csv': factors }, ['is_sso_user', ...all, 'identities'], 1],
    [
      [bare],
      { 'i.csv': identities, 'f.csv': `${factors}${id(1)},totp,,JBSWY3DPEHPK3PXP\n` },
      ['is_sso_user', 'mfa_factors', ...all],
      0,
    ],
  ] as [Record<string, unknown>[], Files, string[], number][]) {
    const { records, notes } = await readFiles({ 'users.csv': fromSqlEditor(rows), ...more });
    expect(records).toHaveLength(1);
    expect([fieldsOf(records[0]!), notes.length]).toEqual([expected, noteCount]);
    for (const { reason, remedy } of records[0]!.leftOut)
      expect([reason, remedy].join('')).not.toMatch(/\.$/);
  }
});

it.each([
  ['identities', `${identities}${id(9)},email,${id(9)}\n`],
  ['factors', `${factors}${id(9)},totp,unverified,\n`],
])('rejects %s from another export before the first user', async (_, content) => {
  const files = { 'users.csv': fromPsql([row(1), row(2)]), 'other.csv': content };
  await expect(readFiles(files)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('other.csv'),
  });
});
