import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceRecord } from '../source.js';
import { convertClerkHash } from './clerk-hash.js';
import { reasons } from '../reasons.js';
import { convertClerkUser } from './clerk-user.js';
import { convertClerkRow } from './clerk-row.js';
import { clerk } from './clerk.js';

const bcrypt = `$2a$10$${'a'.repeat(53)}`;
const row = {
  id: 'user_1',
  first_name: 'Ada',
  last_name: 'Byron',
  username: '',
  primary_email_address: 'ada@example.com',
  primary_phone_number: '',
  verified_email_addresses: 'ada@example.com',
  unverified_email_addresses: '',
  verified_phone_numbers: '',
  unverified_phone_numbers: '',
  totp_secret: '',
  password_digest: bcrypt,
  password_hasher: 'bcrypt',
};
const ada = {
  externalId: 'user_1',
  email: 'ada@example.com',
  emailVerified: true,
  firstName: 'Ada',
  lastName: 'Byron',
  passwordHash: bcrypt,
};
const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

describe('a row in the CSV export from Clerk', () => {
  it.each([
    ['a complete user', {}, ada, []],
    [
      'an address in uppercase',
      { primary_email_address: 'ADA@example.com' },
      { ...ada, email: 'ADA@example.com' },
      [],
    ],
    [
      'an unverified address',
      { verified_email_addresses: '', unverified_email_addresses: 'ada@example.com' },
      { ...ada, emailVerified: false },
      [],
    ],
    [
      'several addresses, separated by | or a comma',
      { verified_email_addresses: 'ada@example.com|second@example.com,third@example.com' },
      ada,
      ['email_addresses'],
    ],
    ['no primary address', { primary_email_address: '' }, ada, []],
    ['a tab before a possible formula', { first_name: '\t=Ada' }, { ...ada, firstName: '=Ada' }, []],
    [
      'only a phone number',
      {
        primary_email_address: '',
        verified_email_addresses: '',
        primary_phone_number: '\t+15550100',
        verified_phone_numbers: '\t+15550100',
      },
      null,
      ['email', 'phone_numbers'],
    ],
    [
      'an address that is in neither list',
      { verified_email_addresses: '' },
      { ...ada, emailVerified: false },
      ['primary_email_address'],
    ],
    ['a username', { username: 'ada' }, ada, ['username']],
    [
      'a secret of an app',
      { totp_secret: 'JBSWY3DPEHPK3PXP' },
      { ...ada, totpSecret: 'JBSWY3DPEHPK3PXP' },
      [],
    ],
    ['a malformed secret of an app', { totp_secret: 'JBSWY3DPEHPK3PX1' }, ada, ['totp_secret']],
    [
      'a hasher that Gatehouse does not accept',
      { password_hasher: 'md5', password_digest: '5f4dcc3b5aa765d61d8327deb882cf99' },
      { ...ada, passwordHash: undefined },
      ['password_digest'],
    ],
    ['an unknown column', { department: 'sales' }, ada, ['department']],
  ])('converts the row and reports lost values: %s', (_, differences, customer, leftOut) => {
    const record = convertClerkRow('users.csv:2', { ...row, ...differences });
    expect(record.customer).toEqual(customer);
    expect(fieldsOf(record)).toEqual(leftOut);
    expect(record).toMatchObject({ position: 'users.csv:2', sourceId: 'user_1' });
  });
});

describe('a Clerk digest', () => {
  const [hex, base64] = ['00'.repeat(32), 'A'.repeat(43)];
  const salted = (start: string, end = base64) => `${start}$i=1000$c2FsdA$${end}`;

  it.each([
    ['bcrypt', bcrypt, bcrypt],
    [
      'argon2id',
      `$argon2id$v=19$m=64,t=4,p=8$c2FsdHNhbHQ$${base64}`,
      `$argon2id$v=19$m=64,t=4,p=8$c2FsdHNhbHQ$${base64}`,
    ],
    ...[
      ['argon2i', `$argon2i$v=19$m=64,t=4,p=8$c2FsdHNhbHQ$${base64}`],
      ['bcrypt_sha256_django', `bcrypt_sha256$${bcrypt}`],
      ['phpass', `$P$B${'a'.repeat(30)}`],
    ].map(([hasher, digest]) => [hasher!, digest!, digest!]),
    ['pbkdf2_sha256', `pbkdf2_sha256$1000$c2FsdA==$${base64}=`, salted('$pbkdf2-sha256')],
    ['pbkdf2_sha256_django', `pbkdf2_sha256$1000$salt$${base64}=`, `pbkdf2_sha256$1000$salt$${base64}=`],
    [
      'pbkdf2_sha1',
      `pbkdf2_sha1$1000$73616c74$${'00'.repeat(20)}$20`,
      salted('$pbkdf2-sha1', 'A'.repeat(27)),
    ],
    ['pbkdf2_sha1', `pbkdf2_sha1$1000$salt$${'00'.repeat(20)}`, salted('$pbkdf2-sha1', 'A'.repeat(27))],
    ['pbkdf2_sha512', `pbkdf2_sha512$1000$salt$${hex}${hex}`, salted('$pbkdf2-sha512', 'A'.repeat(86))],
    [
      'pbkdf2_sha512_hex',
      `pbkdf2_sha512_hex$1000$73616c74$${hex}${hex}`,
      salted('$pbkdf2-sha512', 'A'.repeat(86)),
    ],
    [
      'scrypt_firebase',
      `${base64}=$c2FsdA==$${base64}=$Bw==$8$14`,
      `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${base64}=$c2FsdA==$${base64}=`,
    ],
    ['scrypt_werkzeug', `scrypt:32768:8:1$salt$${hex}`, `$scrypt$ln=15,r=8,p=1$c2FsdA$${base64}`],
  ])('converts from %s: %s', (hasher, digest, hash) => {
    expect(convertClerkHash(hasher, digest)).toEqual({ hash });
  });

  it('reports a malformed digest', () => {
    const hashers = [
      'bcrypt',
      'argon2id',
      'pbkdf2_sha256',
      'pbkdf2_sha256_django',
      'pbkdf2_sha1',
      'pbkdf2_sha512',
    ];
    const others = [
      'pbkdf2_sha512_hex',
      'scrypt_firebase',
      'scrypt_werkzeug',
      'bcrypt_sha256_django',
      'phpass',
    ];
    for (const hasher of [...hashers, ...others])
      for (const digest of [
        'x',
        `${bcrypt}a`,
        'a$0$c2FsdA$AAAA',
        'a$10$!$AAAA',
        '$$$$$$$',
        'scrypt:3:8:1$salt$00',
      ])
        expect([hasher, digest, convertClerkHash(hasher, digest)]).toEqual([
          hasher,
          digest,
          { problem: expect.objectContaining({ reason: 'The password hash is malformed' }) },
        ]);
  });

  it('reports a hasher that Gatehouse does not accept', () => {
    const accepted = /does not accept hashes from this hasher/;
    for (const hasher of ['md5', 'sha256', 'awscognito', 'bcrypt_peppered', '', 'constructor'])
      expect(convertClerkHash(hasher, bcrypt)).toMatchObject({
        problem: { reason: expect.stringMatching(accepted) },
      });
  });
});

describe('a user in the JSON export from Clerk', () => {
  const verification = { status: 'verified' };
  const user = {
    id: 'user_1',
    external_id: '4711',
    primary_email_address_id: 'idn_2',
    email_addresses: [
      { id: 'idn_1', email_address: 'other@example.com', verification },
      { id: 'idn_2', email_address: 'ada@example.com', verification },
    ],
    first_name: 'Ada',
    external_accounts: [
      { provider: 'oauth_google', provider_user_id: '1234', verification },
      { provider: 'oauth_github', provider_user_id: '5678', verification: { status: 'unverified' } },
      { provider: 'oauth_apple', provider_user_id: '9', verification: null },
    ],
    public_metadata: { theme: 'dark' },
    private_metadata: { plan: 'pro' },
    unsafe_metadata: { nickname: 'A' },
    password_enabled: true,
    banned: true,
    created_at: 1_600_000_000_000,
    updated_at: 1_600_000_001_000,
    last_sign_in_at: null,
  };

  it('keeps metadata, identities, times and a ban from the Backend API', () => {
    const record = convertClerkUser('users.json#1', user);
    expect(record.customer).toEqual({
      externalId: 'user_1',
      email: 'ada@example.com',
      emailVerified: true,
      firstName: 'Ada',
      identities: [{ provider: 'google', subject: '1234' }],
      publicMetadata: { theme: 'dark' },
      metadata: { plan: 'pro', external_id: '4711', unsafe_metadata: { nickname: 'A' } },
      createdAt: '2020-09-13T12:26:40.000Z',
      updatedAt: '2020-09-13T12:26:41.000Z',
      disabledAt: '2020-09-13T12:26:41.000Z',
    });
    expect(fieldsOf(record)).toEqual([
      'email_addresses',
      'external_accounts',
      'external_accounts',
      'password_digest',
      'totp_secret',
    ]);
  });

  it.each([true, false])('reports an image unless Clerk generated it: has_image is %s', (hasImage) => {
    const image = { has_image: hasImage, image_url: 'https://img.clerk.com/1' };
    const fields = fieldsOf(convertClerkUser('', { ...user, ...image }));
    expect(fields.includes('image_url')).toBe(hasImage);
  });

  it('keeps private metadata, and the part of oversized unsafe metadata that fits', () => {
    const unsafe = { text: 'x'.repeat(9_000), nickname: 'A', bio: 'x'.repeat(8_130) };
    const record = convertClerkUser('', { ...user, unsafe_metadata: unsafe });
    expect(record.customer?.metadata).toEqual({
      ...{ plan: 'pro', external_id: '4711', unsafe_metadata: { nickname: 'A' } },
    });
    const { reason, remedy } = reasons.metadataTooLarge;
    expect(record.leftOut.filter(({ field }) => field.startsWith('unsafe'))).toEqual([
      { field: 'unsafe_metadata.text', reason, remedy },
      { field: 'unsafe_metadata.bio', reason, remedy },
    ]);
  });

  it('keeps an unverified primary address instead of a verified one', () => {
    const [other, primary] = user.email_addresses;
    const addresses = [other, { ...primary, verification: null }];
    const { customer } = convertClerkUser('', { ...user, email_addresses: addresses });
    expect(customer).toMatchObject({ email: 'ada@example.com', emailVerified: false });
  });

  it.each<[object, boolean, boolean]>([
    [{ verified_email_addresses: [], unverified_email_addresses: ['ADA@example.com'] }, false, false],
    [{ verified_email_addresses: [], unverified_email_addresses: [] }, false, true],
    [{ verified_email_addresses: '', unverified_email_addresses: 'ada@example.com' }, false, false],
    [
      { verified_email_addresses: 'ada@example.com', unverified_email_addresses: 'b@example.com' },
      true,
      false,
    ],
    [{ unverified_email_addresses: 'b@example.com|ada@example.com' }, false, false],
    [{ verified_email_addresses: null }, false, true],
    [
      { verified_email_addresses: ['ada@example.com'], unverified_email_addresses: ['ada@example.com'] },
      false,
      true,
    ],
    [{ verified_email_addresses: ['ada@example.com'] }, true, false],
    [{ verified_email_addresses: ['b@example.com'] }, true, false],
  ])('has a verified primary address only if the export states it: %j', (lists, emailVerified, isUnknown) => {
    const record = convertClerkUser('', { id: 'user_1', primary_email_address: 'ada@example.com', ...lists });
    expect(record.customer).toMatchObject({ email: 'ada@example.com', emailVerified });
    expect(fieldsOf(record).includes('primary_email_address')).toBe(isUnknown);
  });

  it('reads a primary address from `clerk migrate export` as verified', () => {
    const exported = {
      id: 'user_1',
      primary_email_address: 'ada@example.com',
      created_at: '2020-09-13T12:26:40.000Z',
    };
    expect(convertClerkUser('', exported).customer).toEqual({
      externalId: 'user_1',
      email: 'ada@example.com',
      emailVerified: true,
      createdAt: '2020-09-13T12:26:40.000Z',
    });
  });
});

describe('several exports from Clerk', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'clerk-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('imports each user once, with the secrets from the CSV export', async () => {
    const files = [join(folder, 'users.csv'), join(folder, 'users.json')];
    const rows = [row, { ...row, id: 'user_2', primary_email_address: 'bob@example.com' }];
    const lines = [Object.keys(row), ...rows.map((each) => Object.values(each))].map((cells) =>
      cells.join(','),
    );
    await writeFile(files[0]!, lines.join('\n'));
    await writeFile(
      files[1]!,
      JSON.stringify([{ id: 'user_1', primary_email_address: 'ada@example.com' }, 'nothing']),
    );
    const records = [];
    for await (const record of clerk.read(files, { values: {} })) records.push(record);
    expect(records).toMatchObject([
      { position: 'users.json#1', customer: { email: 'ada@example.com', passwordHash: bcrypt } },
      { position: 'users.json#2', customer: null, leftOut: [{ field: '' }] },
      { position: 'users.csv:3', customer: { email: 'bob@example.com', passwordHash: bcrypt } },
    ]);
  });
});
