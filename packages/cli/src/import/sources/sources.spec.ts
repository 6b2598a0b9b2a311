import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CustomerDraft } from '../source-fields.js';
import type { ImportSource, SourceRecord } from '../source.js';
import { auth0 } from './auth0.js';
import { gatehouse } from './gatehouse.js';
import { supabase } from './supabase.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-sources-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(source: ImportSource, files: Record<string, string | Buffer>): Promise<SourceRecord[]> {
  const names = Object.keys(files).map((name) => join(folder, name));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const records: SourceRecord[] = [];
  for await (const record of source.read(names, { values: {} })) records.push(record);
  return records;
}

const toLines = (values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const reasonsOf = ({ leftOut }: SourceRecord): string[] =>
  leftOut.map(({ field, reason }) => `${field}: ${reason}`);

/** A record, the expected customer fields (null: no customer), and the beginnings of the reported entries. */
type Case = [record: Record<string, unknown>, customer: object | null, leftOut: string[]];

function expectCases(records: SourceRecord[], cases: Case[]): void {
  expect(
    records.map((record, index) => [
      record.customer && pick(record.customer, Object.keys(cases[index]![1] ?? {})),
      reasonsOf(record).map((reason, at) => reason.slice(0, cases[index]![2][at]?.length)),
    ]),
  ).toEqual(cases.map(([, customer, leftOut]) => [customer, leftOut]));
}

const pick = (value: object, names: string[]): object =>
  Object.fromEntries(names.map((name) => [name, (value as Record<string, unknown>)[name]]));

/** Nested lists, which exceed the stack in recursive code. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

const BCRYPT = `$2b$10$${'a'.repeat(53)}`;

it.each([
  ['Jose\u0301\r\nGarc\u00eda', 'José García', []],
  ['e\u0301'.repeat(100), 'é'.repeat(100), []],
  ['\u200b\u202e', undefined, ['given_name: The name has no visible character']],
  ['Ada\t', 'Ada', []],
  ['A\tB', undefined, ['given_name: The name contains control characters']],
  ['é'.repeat(101), undefined, ['given_name: The name is longer than 100 characters']],
])('converts the name %j to one that the server accepts, or leaves it out', (text, firstName, leftOut) => {
  const draft = new CustomerDraft().set('email', 'ada@example.com').setName('firstName', 'given_name', text);
  expect(draft.finish()).toEqual({ email: 'ada@example.com', ...(firstName && { firstName }) });
  expect(draft.leftOut.map(({ field, reason }) => `${field}: ${reason}`)).toEqual(leftOut);
});

describe('auth0', () => {
  it('converts each user, and reports the values that it leaves out', async () => {
    const user = { user_id: 'auth0|1', email: 'ada@example.com', identities: [] };
    const cases: Case[] = [
      [
        { ...user, identities: [{ provider: 'auth0', user_id: '1' }] },
        { passwordHash: BCRYPT, externalId: 'auth0|1', id: undefined },
        [],
      ],
      [
        { ...user, user_id: 'auth0|2' },
        { passwordHash: undefined },
        ['passwordHash: Gatehouse does not accept'],
      ],
      [{ ...user, user_id: 'auth0|3' }, {}, ['passwordHash: The files contain no password']],
      [
        { ...user, user_id: 'google-oauth2|7' },
        { identities: [{ provider: 'google-oauth2', subject: '7' }] },
        [],
      ],
      [
        {
          ...user,
          user_id: 'oidc|acme|8',
          identities: [{ provider: 'oidc', connection: 'acme', user_id: 'acme|8' }],
        },
        { identities: [{ provider: 'acme', subject: '8' }] },
        [],
      ],
      [{ ...user, user_id: 'oauth2|discord|9' }, { identities: [{ provider: 'discord', subject: '9' }] }, []],
      [
        { user_id: 'sms|1', phone_number: '+1555', identities: [] },
        null,
        ['email: The user has no email', 'phone_number: Customers'],
      ],
      [
        { user_id: 'email|1', email: ' Ada@Example.com ', identities: [] },
        { email: 'Ada@Example.com', identities: undefined },
        [],
      ],
      [{ email: 'ada@example.com' }, null, [': The record is not']],
      [
        { ...user, user_id: 'email|2', blocked: true, updated_at: '2024-01-02T03:04:05.000Z' },
        { disabledAt: '2024-01-02T03:04:05.000Z' },
        [],
      ],
      [
        { ...user, user_id: 'email|3', name: 'Ada King Lovelace' },
        { firstName: 'Ada King', lastName: 'Lovelace' },
        [],
      ],
      [
        { ...user, user_id: 'email|4', name: user.email, email_verified: true },
        { firstName: undefined, emailVerified: true },
        [],
      ],
      [
        { ...user, user_id: 'email|d', created_at: 'yesterday', plan: 'pro', nickname: 'ada', legal: [] },
        { createdAt: undefined },
        ['created_at: The value is not a valid time', 'plan: Gatehouse has no field'],
      ],
      [{ ...user, user_id: 'email|5', locale: 'de_AT' }, { locale: 'de-AT' }, []],
      [{ ...user, user_id: 'email|6', locale: '?' }, { locale: undefined }, ['locale: The language']],
      [
        { ...user, user_id: 'email|7', multifactor: ['guardian'] },
        {},
        ['multifactor: The export contains no secret'],
      ],
      [
        {
          ...user,
          user_id: 'email|8',
          mfa_factors: [{ totp: { secret: 'JBSWY3DPEHPK3PXP' } }, { phone: { value: '+1' } }],
        },
        { totpSecret: 'JBSWY3DPEHPK3PXP' },
        ['mfa_factors: Only authenticator apps'],
      ],
      [
        { ...user, user_id: 'email|9', mfa_factors: [{ totp: { secret: '!' } }] },
        {},
        ['mfa_factors: The secret'],
      ],
      [
        { ...user, user_id: 'email|a', app_metadata: { id: 2 ** 60 } },
        {},
        ['app_metadata.id: It contains an integer'],
      ],
      [
        { ...user, user_id: 'email|b', user_metadata: { text: 'x'.repeat(9_000), theme: 'dark' } },
        { publicMetadata: { theme: 'dark' } },
        ['user_metadata.text: Metadata is larger'],
      ],
      [
        { ...user, user_id: 'email|c', user_metadata: { deep: 'DEEP' } },
        { publicMetadata: undefined },
        ['user_metadata.deep: Metadata is nested deeper'],
      ],
      [
        {
          ...user,
          user_id: 'facebook|1',
          identities: [
            { provider: 'facebook', user_id: 2 ** 60 },
            { provider: 'github', user_id: 42 },
          ],
        },
        { identities: [{ provider: 'github', subject: '42' }] },
        ['identities: The account at the provider'],
      ],
      [
        {
          ...user,
          user_id: 'auth0|4',
          identities: [
            { provider: 'auth0', user_id: '4' },
            { provider: 'auth0', user_id: '5' },
          ],
        },
        { passwordHash: BCRYPT },
        ['passwordHash: A customer has one password'],
      ],
    ];
    const passwords = [
      { _id: { $oid: '1' }, passwordHash: BCRYPT },
      { _id: { $oid: 'x' }, alt_id: '2', passwordHash: 'md5:1' },
      { _id: { $oid: 'lost' }, passwordHash: BCRYPT },
      { _id: { $oid: '5' }, passwordHash: BCRYPT.replace('10', '11') },
      { _id: { $oid: '4' }, passwordHash: BCRYPT },
    ];
    const records = await read(auth0, {
      'users.json.gz': gzipSync(`${toLines(cases.map(([record]) => record)).replaceAll('"DEEP"', DEEP)}{\n`),
      'passwords.json': toLines(passwords),
    });
    expectCases(records.slice(0, cases.length), cases);
    const others = records.slice(cases.length).map((record) => [record.position, ...reasonsOf(record)]);
    expect(others).toEqual([
      [`users.json.gz:${cases.length + 1}`, ': The record is not in the format of this export'],
      ['', 'passwordHash: No user in the files has the id of this password'],
    ]);
  });
});

describe('supabase', () => {
  it('converts each user with the rows of other tables, and reports what it leaves out', async () => {
    const id = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;
    const row = (more: Record<string, string>) => ({
      email: 'ada@example.com',
      raw_user_meta_data: '',
      ...more,
    });
    const future = '2999-01-01 00:00:00+00';
    const cases: Case[] = [
      [
        row({ id: id(1), encrypted_password: BCRYPT, email_confirmed_at: '2024-01-02 03:04:05.6+00' }),
        {
          ...{ id: id(1), externalId: id(1), passwordHash: BCRYPT, emailVerified: true },
          identities: [{ provider: 'google', subject: 'g-1' }],
          totpSecret: 'JBSWY3DPEHPK3PXP',
        },
        ['mfa_factors: Only authenticator apps', 'mfa_factors: A customer has one'],
      ],
      [
        row({ id: id(2), email: '', phone: '1555' }),
        null,
        ['email: The user has no email', 'phone: Customers'],
      ],
      [row({ id: id(3), is_anonymous: 't' }), null, [': The user is anonymous']],
      [row({ id: id(4), deleted_at: future }), null, [': The user is deleted']],
      [
        row({ id: id(5), banned_until: future, updated_at: '2024-01-02 03:04:05+00' }),
        { disabledAt: '2024-01-02T03:04:05.000Z' },
        ['banned_until: The customer is disabled'],
      ],
      [
        row({ id: id(6), banned_until: 'infinity', created_at: '2024-01-02 03:04:05+00' }),
        { disabledAt: '2024-01-02T03:04:05.000Z' },
        ['banned_until: The customer is disabled'],
      ],
      [row({ id: id(7), banned_until: '2020-01-01 00:00:00+00' }), { disabledAt: undefined }, []],
      [
        row({ id: id(8), raw_user_meta_data: '{' }),
        { publicMetadata: undefined },
        ['raw_user_meta_data: The metadata is not'],
      ],
      [
        row({ id: id(9), encrypted_password: '$argon2d$v=19$x' }),
        {},
        ['encrypted_password: Gatehouse does not', 'mfa_factors: Supabase has encrypted'],
      ],
      [row({ id: '', email: 'x@example.com' }), null, [': The record is not']],
      [
        row({ id: 'a', banned_until: 'infinity' }),
        { disabledAt: '1970-01-01T00:00:00.000Z' },
        ['banned_until: The customer is disabled'],
      ],
      [
        row({
          id: 'c',
          last_sign_in_at: '2024-01-02 03:04:05.678901+05:30',
          role: 'authenticated',
          plan: 'pro',
        }),
        { lastLoginAt: '2024-01-01T21:34:05.678Z' },
        ['plan: Gatehouse has no field'],
      ],
      [
        row({ id: 'b', is_sso_user: 't', email_confirmed_at: '2024-01-02 03:04:05+00' }),
        { emailVerified: false },
        ["email_confirmed_at: A company's single"],
      ],
    ];
    const columns = [
      'id',
      'email',
      'encrypted_password',
      'email_confirmed_at',
      'phone',
      'is_anonymous',
      'is_sso_user',
      'deleted_at',
      'banned_until',
      'updated_at',
      'created_at',
      'last_sign_in_at',
      'role',
      'is_super_admin',
      'plan',
      'raw_app_meta_data',
      'raw_user_meta_data',
    ];
    const users = [
      columns,
      ...cases.map(([record]) => columns.map((name) => (record[name] as string) ?? '')),
    ];
    const records = await read(supabase, {
      'users.csv': users.map((cells) => cells.join(',')).join('\r\n'),
      'identities.csv': `provider_id,user_id,provider\ng-1,${id(1)},google\n${id(1)},${id(1)},email\nx,${id(0)},github\n`,
      'factors.csv': `user_id,factor_type,status,secret\n${id(1)},phone,verified,\n${id(1)},totp,verified,JBSWY3DPEHPK3PXP\n${id(1)},totp,verified,JBSWY3DPEHPK3PXQ\n${id(2)},totp,unverified,\n${id(9)},totp,verified,"{""alg"":""aes-gcm""}"\n`,
    });
    expectCases(records.slice(0, cases.length), cases);
    expect(records.slice(cases.length).map(reasonsOf)).toEqual([
      ['user_id: No user in the files has the id of this identity or factor'],
    ]);
  });
});

describe('gatehouse', () => {
  it('yields each object from NDJSON lines or from a JSON array', async () => {
    const expected = [
      ['customers.json', { email: 'a', unknown: 1 }],
      ['customers.json', null],
      ['customers.json', { email: 'b', metadata: { plan: 'pro' } }],
      ['customers.json', null],
    ];
    const values = [
      { email: 'a', unknown: 1 },
      'text',
      { email: 'b', metadata: { id: 2 ** 60, plan: 'pro' } },
      { email: 'c', externalId: 2 ** 60 },
    ];
    for (const content of [
      toLines(values),
      `\ufeff\n\n${toLines(values)}`,
      ` ${JSON.stringify(values, null, 2)}`,
    ]) {
      const records = await read(gatehouse, { 'customers.json': content });
      expect(records.map(({ position, customer }) => [position.split(/[:#]/)[0], customer])).toEqual(
        expected,
      );
    }
    const deep = await read(gatehouse, { 'deep.json': `{"email":"a","metadata":{"deep":${DEEP}}}` });
    expect(deep).toMatchObject([{ customer: { email: 'a' }, leftOut: [{ field: 'metadata.deep' }] }]);
    const deepField = await read(gatehouse, { 'deep.json': `{"email":"a","identities":${DEEP}}` });
    expect(deepField).toMatchObject([{ customer: null }]);
    await expect(read(gatehouse, { 'cut.json': '[{"email":"a"},' })).rejects.toMatchObject({ exitCode: 1 });
  });
});
