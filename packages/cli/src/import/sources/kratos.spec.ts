import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceRecord } from '../source.js';
import { kratos } from './kratos.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-kratos-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(identities: unknown, rpId?: string): Promise<SourceRecord[]> {
  const file = join(folder, 'identities.json');
  writeFileSync(file, JSON.stringify(identities));
  const records: SourceRecord[] = [];
  for await (const record of kratos.read([file], { values: { rpId } })) records.push(record);
  return records;
}

const id = '3ade335e-62e6-4abb-b190-6efd48e077fc';
const address = { value: 'ada@example.com', verified: true, via: 'email', status: 'completed' };
const identity = {
  ...{ id, schema_id: 'default', state: 'active', state_changed_at: '2024-02-01T00:00:00Z' },
  ...{ traits: { email: 'ada@example.com' }, verifiable_addresses: [address], credentials: {} },
  ...{ created_at: '2024-01-01T00:00:00.123456Z', updated_at: '2024-01-02T00:00:00Z' },
};
const withCredential = (type: string, config: object | undefined, more: object = {}) => ({
  credentials: { [type]: { type, ...more, ...(config && { config }) } },
});
const withHash = (hash: string) => withCredential('password', { hashed_password: hash });
const salt = Buffer.from('saltsaltsaltsalt').toString('base64');
const hash = Buffer.alloc(32, 1).toString('base64');
const bare = (text: string): string => text.replace(/=+$/, '');
const totp = (query: string) => withCredential('totp', { totp_url: `otpauth://totp/Acme:ada?${query}` });
const key = {
  ...{ id: '+/8A', public_key: '+/8A', display_name: 'Phone', added_at: '2024-01-01T00:00:00Z' },
  ...{
    is_passwordless: true,
    authenticator: { aaguid: Buffer.alloc(16, 1).toString('base64'), sign_count: 3 },
  },
};
const passkeys = { credentials: [key, { ...key, is_passwordless: false }], user_handle: 'AAECAw==' };
const none = undefined;

/** Changes to the identity, the expected customer fields (null: no customer), and the fields that are left out. */
const cases: [changes: object, customer: object | null, leftOut: string[]][] = [
  [
    {},
    {
      ...{ id, externalId: id, email: 'ada@example.com', emailVerified: true, disabledAt: none },
      ...{ createdAt: '2024-01-01T00:00:00.123Z', updatedAt: '2024-01-02T00:00:00.000Z' },
    },
    [],
  ],
  [{ state: 'banned' }, null, ['state']],
  [{ state: ['inactive'] }, null, ['state']],
  [{ state: none }, { disabledAt: none }, ['state']],
  [{ metadata_admin: '{}', metadata_public: [1] }, {}, ['metadata_admin', 'metadata_public']],
  [
    { verifiable_addresses: { email: address } },
    { emailVerified: false },
    ['verifiable_addresses', 'verifiable_addresses'],
  ],
  [{ verifiable_addresses: none }, { emailVerified: false }, ['verifiable_addresses']],
  [
    { verifiable_addresses: [{ ...address, verified: null }] },
    { emailVerified: false },
    ['verifiable_addresses'],
  ],
  [{ traits: { email: ['a@example.com'] } }, { email: 'ada@example.com' }, ['traits.email']],
  [
    {
      traits: {
        ...{ email: 'ada@example.com', name: { firstName: 'Ada', lastName: 'Byron', middle: 'A' } },
        ...{ first_name: 'Countess', last_name: { own: 'King' } },
      },
    },
    {
      ...{ firstName: 'Ada', lastName: 'Byron' },
      metadata: {
        traits: { name: { middle: 'A' }, first_name: 'Countess', last_name: { own: 'King' } },
      },
    },
    [],
  ],
  [
    { traits: { email: 'ada@example.com', name: 'Dr Ada Byron', given_name: 'Ada', family_name: 'Byron' } },
    { firstName: 'Ada', lastName: 'Byron', metadata: { traits: { name: 'Dr Ada Byron' } } },
    [],
  ],
  [{ recovery_addresses: [{ value: 'Ada@example.com', via: 'email' }] }, { email: 'ada@example.com' }, []],
  [
    {
      recovery_addresses: [
        { value: 'b@example.com', via: 'email' },
        { value: '+1555', via: 'sms' },
      ],
    },
    { email: 'ada@example.com' },
    ['recovery_addresses', 'recovery_addresses'],
  ],
  ...[none, {}, { providers: null }, { providers: [] }].map((config): (typeof cases)[number] => [
    withCredential('oidc', config, { identifiers: ['google:77'] }),
    { identities: [{ provider: 'google', subject: '77' }] },
    [],
  ]),
  [withCredential('oidc', { providers: null }), { identities: none }, ['credentials.oidc']],
  [withCredential('oidc', { providers: [] }), { identities: none }, []],
  [
    withCredential(
      'oidc',
      { providers: [{ provider: 'google', subject: '7' }] },
      { identifiers: ['google:7', 'github:8', 'broken'] },
    ),
    {
      identities: [
        { provider: 'google', subject: '7' },
        { provider: 'github', subject: '8' },
      ],
    },
    ['credentials.oidc'],
  ],
  [withCredential('password', { hashed_password: { hash: 'x' } }), {}, ['credentials.password']],
  [
    withCredential('passkey', {
      user_handle: 'AAECAw==',
      credentials: [
        { ...key, added_at: 'once', flags: { backup_eligible: 'true', backup_state: 'perhaps' } },
        { ...key, flags: [true] },
      ],
    }),
    {
      passkeys: [
        expect.objectContaining({ deviceType: 'multiDevice' }),
        expect.not.objectContaining({ deviceType: expect.anything() }),
      ],
    },
    ['credentials.passkey', 'credentials.passkey', 'credentials.passkey'],
  ],
  [
    withCredential('webauthn', {
      user_handle: 'AAECAw==',
      credentials: [{ ...key, is_passwordless: 'true' }],
    }),
    { passkeys: [expect.anything()] },
    [],
  ],
  [
    { traits: { email: 'ada@example.com', name: ['Ada'], phone: { mobile: '+1555' } } },
    {},
    ['traits.name', 'traits.phone'],
  ],
  [withCredential('oidc', { providers: { google: '7' } }), {}, ['credentials.oidc']],
  [withCredential('oidc', none), {}, ['credentials.oidc']],
  [
    withCredential('passkey', { credentials: { id: '1' }, user_handle: 'AAECAw==' }),
    { passkeys: none },
    ['credentials.passkey'],
  ],
  [{ state: 'inactive' }, { disabledAt: '2024-02-01T00:00:00.000Z' }, []],
  [{ verifiable_addresses: [{ ...address, verified: false }] }, { emailVerified: false }, []],
  [{ verifiable_addresses: [] }, { emailVerified: false }, ['verifiable_addresses']],
  [
    {
      verifiable_addresses: [
        { ...address, value: 'b@example.com' },
        { ...address, via: 'sms', value: '+1555' },
      ],
    },
    { email: 'ada@example.com', emailVerified: false },
    ['verifiable_addresses', 'verifiable_addresses', 'traits.phone'],
  ],
  [
    {
      traits: {
        email: 'ada@example.com',
        name: { first: 'Ada', last: 'Byron' },
        username: 'ada',
        plan: 'pro',
      },
      metadata_admin: { crm: 1 },
      external_id: '4711',
      metadata_public: { tier: 2 },
    },
    {
      ...{
        firstName: 'Ada',
        lastName: 'Byron',
        metadata: { crm: 1, traits: { plan: 'pro' }, external_id: '4711' },
      },
      publicMetadata: { tier: 2 },
    },
    ['traits.username'],
  ],
  [{ traits: { email: 'ada@example.com', name: 'Ada Byron' } }, { firstName: 'Ada', lastName: 'Byron' }, []],
  [{ traits: { username: 'ada' }, verifiable_addresses: [] }, null, ['email', 'traits.username']],
  [{ organization_id: id }, {}, ['organization_id']],
  [{ credentials: none }, {}, ['credentials']],
  [withCredential('password', none), { passwordHash: none }, ['credentials.password']],
  [withHash('$2a$12$x'), { passwordHash: '$2a$12$x' }, []],
  [withHash('{SSHA}x'), { passwordHash: '{SSHA}x' }, []],
  [withHash('$md5$x'), { passwordHash: none }, ['credentials.password']],
  [withHash('$sha512-crypt$x'), { passwordHash: none }, ['credentials.password']],
  [withCredential('password', { use_password_migration_hook: true }), {}, ['credentials.password']],
  [withCredential('password', {}), {}, []],
  [
    withHash(`$scrypt$ln=16384,r=8,p=1$${salt}$${hash}`),
    { passwordHash: `$scrypt$ln=14,r=8,p=1$${bare(salt)}$${bare(hash)}` },
    [],
  ],
  [withHash(`$scrypt$ln=16383,r=8,p=1$${salt}$${hash}`), { passwordHash: none }, ['credentials.password']],
  [
    withHash(`$firescrypt$ln=14,r=8,p=1$${salt}$${hash}$Bw==$${hash}`),
    { passwordHash: `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${hash}$${salt}$${hash}` },
    [],
  ],
  [
    withCredential('oidc', { providers: [{ provider: 'google', subject: '7' }, { provider: 'github' }] }),
    { identities: [{ provider: 'google', subject: '7' }] },
    ['credentials.oidc'],
  ],
  [
    withCredential('oidc', none, { identifiers: ['google:7'] }),
    { identities: [{ provider: 'google', subject: '7' }] },
    [],
  ],
  [
    totp('secret=JBSWY3DPEHPK3PXPJBSWY3DP&algorithm=SHA1&digits=6&period=30'),
    { totpSecret: 'JBSWY3DPEHPK3PXPJBSWY3DP' },
    [],
  ],
  [totp('secret=JBSWY3DPEHPK3PXPJBSWY3DP&digits=8'), { totpSecret: none }, ['credentials.totp']],
  [withCredential('totp', none), {}, ['credentials.totp']],
  [withCredential('lookup_secret', none), {}, ['credentials.lookup_secret']],
  [withCredential('saml', none), {}, ['credentials.saml']],
  [withCredential('code', none), {}, []],
  [
    withCredential('webauthn', passkeys),
    {
      passkeys: [
        {
          ...{
            rpId: 'example.com',
            credentialId: '-_8A',
            publicKey: '-_8A',
            userHandle: 'AAECAw',
            counter: 3,
          },
          ...{
            name: 'Phone',
            createdAt: '2024-01-01T00:00:00.000Z',
            aaguid: '01010101-0101-0101-0101-010101010101',
          },
        },
      ],
    },
    ['credentials.webauthn'],
  ],
];

const pick = (value: object, names: string[]): object =>
  Object.fromEntries(names.map((name) => [name, (value as Record<string, unknown>)[name]]));

it('converts each identity, and reports the values that it leaves out', async () => {
  const records = await read(
    cases.map(([changes]) => ({ ...identity, ...changes })),
    'example.com',
  );
  expect(
    records.map(({ customer, leftOut }, index) => [
      customer && pick(customer, Object.keys(cases[index]![1] ?? {})),
      leftOut.map(({ field }) => field),
    ]),
  ).toEqual(cases.map(([, customer, leftOut]) => [customer, leftOut]));
});

it('reports passkeys if the domain is unknown, and records in another format', async () => {
  const records = await read([{ ...identity, ...withCredential('passkey', passkeys) }, { id: 'x' }]);
  expect(records.map(({ leftOut }) => leftOut.map(({ field }) => field))).toEqual([
    ['credentials.passkey', 'credentials.passkey'],
    [''],
  ]);
});

it('reads the PATCH /admin/identities bodies that an export to Kratos writes', async () => {
  const { id: _, ...create } = identity;
  const gatehouseId = '019aa2c0-7d1e-7000-8000-000000000001';
  const records = await read({
    identities: [
      { patch_id: id, create: { ...create, external_id: 'crm-1', state: 'inactive' } },
      { create: { ...create, external_id: 'x', metadata_admin: { gatehouse_id: gatehouseId, plan: 1 } } },
      { patch_id: id, create },
      { patch_id: id },
    ],
  });
  expect(
    records.map(({ customer }) => customer && [customer.externalId, customer.id, customer.metadata]),
  ).toEqual([['crm-1', none, none], ['x', gatehouseId, { plan: 1 }], [id, id, none], null]);
  expect(records[0]!.customer?.disabledAt).toBe('2024-02-01T00:00:00.000Z');
  expect(records[3]!.leftOut).toHaveLength(1);
});

it('imports an address as unverified unless a PATCH body verifies it, as Kratos does', async () => {
  const { verifiable_addresses: _, ...create } = identity;
  const [record] = await read({ identities: [{ patch_id: id, create }] });
  expect(record).toMatchObject({ customer: { emailVerified: false }, leftOut: [] });
});

it('reads a verification as a string, and reports one that is neither true nor false', async () => {
  const records = await read(
    ['true', 'perhaps'].map((verified) => ({
      ...identity,
      verifiable_addresses: [{ ...address, verified }],
    })),
  );
  expect(records.map(({ customer, leftOut }) => [customer?.emailVerified, leftOut.length])).toEqual([
    [true, 0],
    [false, 1],
  ]);
});
