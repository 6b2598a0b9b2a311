import type { SourceRecord } from '../source.js';
import { convertKeycloakUser } from './keycloak.js';

const id = '2cfba5c8-fe75-4430-a19a-3540bb233524';
const [base64, bcrypt] = [`${'A'.repeat(43)}=`, `$2a$10$${'a'.repeat(53)}`];
const credential = (type: string, secret: object, data: object, more: object = {}) => ({
  type,
  secretData: JSON.stringify(secret),
  credentialData: JSON.stringify(data),
  ...more,
});
const password = (algorithm: string, more: object = {}, secret: object = {}) => ({
  credentials: [
    credential(
      'password',
      { value: base64, salt: 'c2FsdHNhbHRzYWx0c2FsdA==', additionalParameters: {}, ...secret },
      { hashIterations: 5, algorithm, additionalParameters: more },
    ),
  ],
});
const otp = (data: object = {}, value = '12345678901234567890') =>
  credential('otp', { value }, { subType: 'totp', digits: 6, period: 30, algorithm: 'HmacSHA1', ...data });
const argon2 = { hashLength: ['32'], memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'] };
/** A credential from a version before 8. */
const old = (type: string, hashedSaltedValue: string, more: object) => ({
  credentials: [{ type, hashedSaltedValue, createdDate: 1_600_000_000_000, config: {}, ...more }],
});
const oldPassword = { salt: 'c2FsdHNhbHRzYWx0c2FsdA==', hashIterations: 5, algorithm: 'pbkdf2-sha256' };
const oldTotp = { digits: 6, period: 30, counter: 0, algorithm: 'HmacSHA1' };
const [first, second] = [password('pbkdf2-sha256'), password('pbkdf2-sha512')].map(
  ({ credentials }) => credentials[0]!,
);
const passkey = credential(
  'webauthn-passwordless',
  {},
  {
    aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
    credentialId: '+/8A',
    counter: 3,
    credentialPublicKey: '-_8A',
    transports: ['internal'],
  },
  { userLabel: 'Phone', createdDate: 1_600_000_000_000 },
);

const user = {
  id,
  username: 'ada@example.com',
  email: 'ada@example.com',
  emailVerified: true,
  enabled: true,
  firstName: 'Ada',
  lastName: 'Byron',
  createdTimestamp: 1_600_000_000_000,
  totp: false,
  realmRoles: ['default-roles-acme'],
  requiredActions: [],
  groups: [],
  credentials: [],
};
const ada = {
  id,
  externalId: id,
  email: 'ada@example.com',
  emailVerified: true,
  firstName: 'Ada',
  lastName: 'Byron',
  createdAt: '2020-09-13T12:26:40.000Z',
};
const salted = (start: string) => ({
  ...ada,
  passwordHash: `${start}$c2FsdHNhbHRzYWx0c2FsdA$${base64.slice(0, -1)}`,
});
const withTotp = { ...ada, totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' };
/** The values that lists from the Admin API do not contain. */
const adminApi = { credentials: undefined, realmRoles: undefined, groups: undefined };
const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

describe('a user in a Keycloak realm', () => {
  it.each([
    ['a complete user', {}, ada, []],
    ['no email address', { email: undefined }, null, ['email', 'username']],
    ['a username', { username: 'ada' }, ada, ['username']],
    ['a reserved attribute', { attributes: JSON.parse('{"__proto__":["1"]}') as object }, ada, ['__proto__']],
    ['no verification', { emailVerified: undefined }, { ...ada, emailVerified: false }, ['emailVerified']],
    ['an empty verification', { emailVerified: null }, { ...ada, emailVerified: false }, ['emailVerified']],
    ['a disabled user', { enabled: false }, { ...ada, disabledAt: ada.createdAt }, []],
    ['argon2id', password('argon2', argon2), salted('$argon2id$v=19$m=7168,t=5,p=1'), []],
    ['argon2i', password('argon2', { ...argon2, type: ['i'] }), salted('$argon2i$v=19$m=7168,t=5,p=1'), []],
    ['argon2d', password('argon2', { ...argon2, type: ['d'] }), ada, ['credentials.password']],
    ['argon2 without parameters', password('argon2'), ada, ['credentials.password']],
    ['PBKDF2 with SHA-256', password('pbkdf2-sha256'), salted('$pbkdf2-sha256$i=5'), []],
    ['PBKDF2 with SHA-512', password('pbkdf2-sha512'), salted('$pbkdf2-sha512$i=5'), []],
    [
      'bcrypt from an extension',
      password('bcrypt', {}, { value: bcrypt }),
      { ...ada, passwordHash: bcrypt },
      [],
    ],
    ['an incomplete bcrypt hash', password('bcrypt'), ada, ['credentials.password']],
    ['an unknown algorithm', password('md5'), ada, ['credentials.password']],
    ['broken base64', password('pbkdf2-sha256', {}, { salt: '!' }), ada, ['credentials.password']],
    ['no data', { credentials: [{ type: 'password', secretData: '{' }] }, ada, ['credentials.password']],
    [
      'a temporary password',
      { ...password('argon2', argon2), requiredActions: ['UPDATE_PASSWORD'] },
      ada,
      ['credentials.password'],
    ],
    [
      'a temporary password in a file',
      { credentials: [{ type: 'password', value: 'correct horse', temporary: true }] },
      ada,
      ['credentials.password'],
    ],
    [
      'a plain password',
      { credentials: [{ type: 'password', value: ' correct horse ' }] },
      { ...ada, password: ' correct horse ' },
      [],
    ],
    [
      'a password from a version before 8',
      old('password', base64, oldPassword),
      salted('$pbkdf2-sha256$i=5'),
      [],
    ],
    [
      'a password from a version before 8 without an algorithm',
      old('password', base64, { ...oldPassword, algorithm: undefined }),
      ada,
      ['credentials.password'],
    ],
    ['an app from a version before 8', old('totp', '12345678901234567890', oldTotp), withTotp, []],
    [
      'a counter from a version before 8',
      old('hotp', '12345678901234567890', oldTotp),
      ada,
      ['credentials.hotp'],
    ],
    [
      'the first of two passwords',
      { credentials: [first, second] },
      salted('$pbkdf2-sha256$i=5'),
      ['credentials.password'],
    ],
    [
      'the first of two passwords by their priority',
      {
        credentials: [
          { ...second, priority: 20 },
          { ...first, priority: 10 },
        ],
      },
      salted('$pbkdf2-sha256$i=5'),
      ['credentials.password'],
    ],
    [
      'two passwords, the first of them malformed',
      { credentials: [{ type: 'password' }, first] },
      ada,
      ['credentials.password', 'credentials.password'],
    ],
    ['a raw secret of an app', { credentials: [otp()] }, withTotp, []],
    [
      'a secret in base32',
      { credentials: [otp({ secretEncoding: 'BASE32' }, 'gezdgnbvgy3tqojqgezdgnbvgy3tqojq')] },
      withTotp,
      [],
    ],
    [
      'other parameters of an app',
      {
        credentials: [
          otp({ digits: 8 }),
          otp({ period: 60 }),
          otp({ algorithm: 'HmacSHA256' }),
          otp({ subType: 'hotp' }),
        ],
      },
      ada,
      Array.from({ length: 4 }, () => 'credentials.otp'),
    ],
    ['the second of two apps', { credentials: [otp(), otp()] }, withTotp, ['credentials.otp']],
    [
      'an app after a malformed one',
      { credentials: [otp({}, 'short'), otp()] },
      withTotp,
      ['credentials.otp'],
    ],
    [
      'credentials that cannot be moved',
      { credentials: [{ type: 'webauthn' }, { type: 'recovery-authn-codes' }, { type: 'kerberos' }] },
      ada,
      ['credentials.webauthn', 'credentials.recovery-authn-codes', 'credentials.kerberos'],
    ],
    ['passkeys without a domain', { credentials: [passkey] }, ada, ['credentials.webauthn-passwordless']],
    [
      'accounts at providers',
      { federatedIdentities: [{ identityProvider: 'google', userId: '1234', userName: 'ada' }, {}] },
      { ...ada, identities: [{ provider: 'google', subject: '1234' }] },
      ['federatedIdentities'],
    ],
    ['an LDAP user', { federationLink: id }, ada, ['federationLink']],
    [
      'attributes',
      { attributes: { locale: ['de_AT'], department: ['sales'], roles: ['a', 'b'] } },
      { ...ada, locale: 'de-AT', metadata: { department: 'sales', roles: ['a', 'b'] } },
      [],
    ],
    [
      'required actions',
      { requiredActions: ['CONFIGURE_TOTP', 'VERIFY_EMAIL', 'TERMS_AND_CONDITIONS'] },
      { ...ada, mfa: 'required' },
      ['requiredActions'],
    ],
    [
      'roles and groups',
      {
        realmRoles: ['offline_access', 'admin'],
        clientRoles: { account: ['view-profile'] },
        groups: ['/sales'],
      },
      ada,
      ['roles', 'groups'],
    ],
    [
      'consents',
      { clientConsents: [{ clientId: 'app', grantedClientScopes: ['email'] }] },
      ada,
      ['clientConsents'],
    ],
    ['no state', { enabled: undefined }, { ...ada, disabledAt: ada.createdAt }, ['enabled']],
    [
      'a list from the Admin API',
      { ...adminApi, attributes: { plan: ['pro'] } },
      { ...ada, metadata: { plan: 'pro' } },
      ['credentials', 'federatedIdentities', 'roles'],
    ],
    [
      'a brief list from the Admin API, with an app',
      { ...adminApi, requiredActions: undefined, totp: true },
      ada,
      ['credentials', 'credentials.otp', 'federatedIdentities', 'roles', 'attributes'],
    ],
    [
      'strings and objects instead of lists',
      {
        ...{ realmRoles: 'admin', groups: '/admins', federatedIdentities: { google: '1234' } },
        ...{ clientRoles: { 'realm-management': 'realm-admin' }, clientConsents: { app: 1 } },
      },
      ada,
      ['federatedIdentities', 'roles', 'groups', 'clientConsents'],
    ],
    [
      'elements and objects of the wrong type',
      {
        ...{ realmRoles: [{ name: 'admin' }], credentials: ['password'], federatedIdentities: ['google'] },
        ...{ clientRoles: ['admin'], attributes: 'plan', requiredActions: { CONFIGURE_TOTP: true } },
      },
      ada,
      [
        ...['credentials', 'federatedIdentities', 'attributes', 'requiredActions'],
        ...['clientRoles', 'realmRoles'],
      ],
    ],
    [
      'a required action as a string',
      { ...password('argon2', argon2), requiredActions: 'UPDATE_PASSWORD' },
      ada,
      ['credentials.password'],
    ],
    [
      'flags as strings',
      {
        credentials: [{ type: 'password', value: 'correct horse', temporary: 'true' }],
        emailVerified: 'on',
      },
      { ...ada, emailVerified: false },
      ['credentials.password', 'emailVerified'],
    ],
    ['a service account', { serviceAccountClientId: 'backend' }, null, ['']],
    ['an unknown field', { socialLinks: [1], applicationRoles: {} }, ada, ['socialLinks']],
  ])('converts the user and reports lost values: %s', (_, differences, customer, leftOut) => {
    const record = convertKeycloakUser('realm.json#1', { ...user, ...differences });
    expect(record.customer).toEqual(customer);
    expect(fieldsOf(record)).toEqual(leftOut);
    expect(record.sourceId).toBe(id);
  });

  it('keeps passkeys if their domain is passed', () => {
    const record = convertKeycloakUser('', { ...user, credentials: [passkey] }, 'example.com');
    expect(record.customer?.passkeys).toEqual([
      {
        rpId: 'example.com',
        credentialId: '-_8A',
        publicKey: '-_8A',
        userHandle: Buffer.from(id).toString('base64url'),
        counter: 3,
        transports: ['internal'],
        aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
        name: 'Phone',
        createdAt: '2020-09-13T12:26:40.000Z',
      },
    ]);
  });
});
