import type { SourceRecord } from '../source.js';
import { convertFirebaseUser, parseHashConfig } from './firebase.js';

const key = Buffer.alloc(64, 1).toString('base64');
const block = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: ${key},
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`;
const config = parseHashConfig(block);
if (typeof config === 'string') throw new Error(config);

const IMAGE = 'https://example.com/ada.png';
const hash = Buffer.alloc(64, 0xfb);
const salt = Buffer.from('fbff00ff', 'hex');
const user = {
  localId: 'l1',
  email: 'ada@example.com',
  emailVerified: true,
  passwordHash: hash.toString('base64'),
  salt: salt.toString('base64'),
  displayName: 'Ada King Lovelace',
  lastSignedInAt: '1600000001000',
  createdAt: '1600000000000',
  providerUserInfo: [],
};
const ada = {
  externalId: 'l1',
  email: 'ada@example.com',
  emailVerified: true,
  firstName: 'Ada King',
  lastName: 'Lovelace',
  passwordHash: `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${key}$${user.salt}$${user.passwordHash}`,
  createdAt: '2020-09-13T12:26:40.000Z',
  lastLoginAt: '2020-09-13T12:26:41.000Z',
};
const withoutHash = { ...ada, passwordHash: undefined };
const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

describe('a user in a Firebase export', () => {
  it.each<[string, object, object | null, string[]]>([
    ['a complete user', {}, ada, []],
    ['base64url', { passwordHash: hash.toString('base64url'), salt: salt.toString('base64url') }, ada, []],
    ['no email address', { email: '' }, null, ['email']],
    ['only a phone number', { email: undefined, phoneNumber: '+15550100' }, null, ['email', 'phoneNumber']],
    ['broken base64', { salt: '!' }, withoutHash, ['passwordHash']],
    ['no salt', { salt: undefined }, withoutHash, ['passwordHash']],
    ['redacted hashes', { passwordHash: 'UkVEQUNURUQ=' }, withoutHash, ['passwordHash']],
    ['a hash of another algorithm', { version: 2 }, withoutHash, ['passwordHash']],
    ...['true', 'TRUE', 'True', '1', 1, true].map((disabled): [string, object, object, string[]] => [
      `a disabled user (${JSON.stringify(disabled)})`,
      { disabled },
      { ...ada, disabledAt: ada.lastLoginAt },
      [],
    ]),
    ['a user that is not disabled', { disabled: 'FALSE', emailVerified: 'TRUE' }, ada, []],
    ['an unreadable state', { disabled: 'perhaps' }, null, ['disabled']],
    [
      'an unreadable verification',
      { emailVerified: 'perhaps' },
      { ...ada, emailVerified: false },
      ['emailVerified'],
    ],
    ['no verification', { emailVerified: undefined }, { ...ada, emailVerified: false }, ['emailVerified']],
    ['an empty verification', { emailVerified: null }, { ...ada, emailVerified: false }, ['emailVerified']],
    [
      'accounts at providers',
      {
        providerUserInfo: [
          { providerId: 'google.com', rawId: '1234' },
          { providerId: 'password', rawId: 'ada@example.com' },
          { providerId: 'saml.acme', rawId: 'ada' },
          { providerId: 'github.com' },
        ],
      },
      { ...ada, emailVerified: false, identities: [{ provider: 'google.com', subject: '1234' }] },
      ['emailVerified', 'providerUserInfo', 'providerUserInfo'],
    ],
    [
      'neither a password nor an account',
      { passwordHash: undefined, salt: undefined },
      withoutHash,
      ['providerUserInfo'],
    ],
    [
      'only links by email',
      { passwordHash: undefined, salt: undefined, emailLinkSignin: true },
      withoutHash,
      [],
    ],
    ['a tenant', { tenantId: 'acme-1' }, ada, ['tenantId']],
    ['custom claims', { customAttributes: '{"admin":true}' }, { ...ada, metadata: { admin: true } }, []],
    [
      'custom claims as an object',
      { customAttributes: { admin: true } },
      { ...ada, metadata: { admin: true } },
      [],
    ],
    ['custom claims as a list', { customAttributes: ['admin'] }, ada, ['customAttributes']],
    ['second factors as an object', { mfaInfo: { phoneInfo: '+15550100' } }, ada, ['mfaInfo']],
    ['accounts as an object', { providerUserInfo: { google: '1234' } }, ada, ['providerUserInfo']],
    [
      'a hash as an object',
      { passwordHash: { value: 'x' } },
      withoutHash,
      ['passwordHash', 'providerUserInfo'],
    ],
    ['no claims and no factors', { customAttributes: {}, mfaInfo: {}, providerUserInfo: {} }, ada, []],
    ['malformed custom claims', { customAttributes: '{' }, ada, ['customAttributes']],
    ['a malformed time', { createdAt: 'yesterday' }, { ...ada, createdAt: undefined }, ['createdAt']],
    ['second factors', { mfaInfo: [{ phoneInfo: '+15550100' }] }, ada, ['mfaInfo']],
    ['a photo', { photoUrl: IMAGE }, { ...ada, imageUrl: IMAGE }, []],
    ['a photo that is not an https URL', { photoUrl: 'http://example.com/ada.png' }, ada, ['photoUrl']],
  ])('converts the user and reports lost values: %s', (_, differences, customer, leftOut) => {
    const record = convertFirebaseUser('users.json#1', { ...user, ...differences }, config);
    expect(record.customer).toEqual(customer);
    expect(fieldsOf(record)).toEqual(leftOut);
  });
});

describe('Firebase hash parameters', () => {
  it('reads the parameters as the console shows them, or as JSON', () => {
    const fields = { base64_signer_key: key, base64_salt_separator: 'Bw==', rounds: 8, mem_cost: 14 };
    expect(parseHashConfig(JSON.stringify({ hash_config: { algorithm: 'SCRYPT', ...fields } }))).toEqual(
      config,
    );
  });

  it('rejects a missing or malformed parameter', () => {
    for (const name of ['SCRYPT', key, 'Bw==', '8', '14'])
      expect(parseHashConfig(block.replace(`: ${name}`, ': !'))).toEqual(expect.any(String));
    expect(parseHashConfig('')).toEqual(expect.any(String));
  });
});
