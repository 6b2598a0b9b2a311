import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdentitySlugs } from '../identity-slugs.js';
import { ImportReport, type ReportEntry } from '../import-report.js';
import { reasons, type Reason } from '../reasons.js';
import { reportUnusedApp } from '../second-factors.js';
import type { ImportedCustomer, ImportSource } from '../source.js';
import { toLines } from '../to-lines.js';
import { unknown } from '../unknown-reasons.js';
import { auth0 } from './auth0.js';
import { betterAuth } from './better-auth.js';
import { clerk } from './clerk.js';
import { cognitoReasons } from './cognito-reasons.js';
import { cognito } from './cognito.js';
import { firebaseReasons } from './firebase-reasons.js';
import { firebase } from './firebase.js';
import { keycloakReasons } from './keycloak-reasons.js';
import { keycloak } from './keycloak.js';
import { kratos } from './kratos.js';
import { logto } from './logto.js';
import { supabase } from './supabase.js';
import { supertokens } from './supertokens.js';
import { wordpress } from './wordpress.js';

const oddities = [
  ...(['banned', 'deleted', 'unverified', 'no email', 'phone only', 'duplicate address'] as const),
  ...([
    'two passwords',
    'foreign hash',
    'unreadable times',
    'metadata too big',
    'identity that never matches',
  ] as const),
  ...(['missing companion file', 'factor that cannot be moved', 'role or group'] as const),
];
type Oddity = (typeof oddities)[number];

/** The import result for users with an oddity, or the reason why the export has no such users. */
type Cell =
  | string
  | {
      /** The differences between the users and an ordinary user. */
      users: object[];
      /** The differences between the users' customers and the ordinary customer; null if a user is not sent. */
      customers: (object | null)[];
      /** The beginnings of the report lines. */
      report: string[];
      /** Files that replace the files with the users. */
      files?: Record<string, string>;
    };

interface System {
  source: ImportSource;
  /** Returns the files with users that differ from an ordinary one. */
  files: (differences: object[]) => Record<string, string>;
  /** The customer for an ordinary user. */
  customer: object;
  /** The option values. */
  values?: (folder: string) => Record<string, string>;
  /** All oddities, or those that no other test of the system covers. */
  cells: Partial<Record<Oddity, Cell>>;
}

const leftOut = (field: string, { reason }: Reason): string => `left_out ${field}: ${reason}`;
const notSent = (field: string, { reason }: Reason): string => `not_sent ${field}: ${reason}`;

const json = (value: unknown): string => JSON.stringify(value);
const [email, phone, big] = ['ada@example.com', '+15550100', 'x'.repeat(9_000)];
const uuid = '427f0e89-dd0a-48be-927d-8f8c0e938d57';
const [created, createdMs] = ['2020-09-13T12:26:40.000Z', 1_600_000_000_000];
const bcrypt = `$2b$10$${'a'.repeat(53)}`;
const [hash, salt] = [`${'A'.repeat(43)}=`, 'c2FsdHNhbHRzYWx0c2FsdA=='];
const google = { provider: 'google', subject: 'g1' };

const keycloakPassword = (algorithm: string, fields: object = {}) => ({
  ...{ type: 'password', secretData: json({ value: hash, salt }) },
  credentialData: json({ algorithm, hashIterations: 5 }),
  ...fields,
});

const keycloakSystem: System & { cells: Record<Oddity, Cell> } = {
  source: keycloak,
  files: (differences) => ({
    'acme-users-0.json': json({
      realm: 'acme',
      users: differences.map((difference) => ({
        ...{ id: uuid, username: email, email, emailVerified: true, enabled: true },
        ...{ createdTimestamp: createdMs, credentials: [keycloakPassword('pbkdf2-sha256')] },
        ...{ realmRoles: ['default-roles-acme'], groups: [], requiredActions: [] },
        federatedIdentities: [{ identityProvider: 'google', userId: 'g1', userName: 'ada' }],
        ...difference,
      })),
    }),
  }),
  customer: {
    ...{ id: uuid, externalId: uuid, email, emailVerified: true, createdAt: created, identities: [google] },
    passwordHash: `$pbkdf2-sha256$i=5$${salt.slice(0, -2)}$${hash.slice(0, -1)}`,
  },
  cells: {
    banned: { users: [{ enabled: false }], customers: [{ disabledAt: created }], report: [] },
    deleted: 'Keycloak deletes users immediately',
    unverified: { users: [{ emailVerified: false }], customers: [{ emailVerified: false }], report: [] },
    'no email': {
      users: [{ email: undefined, username: 'ada' }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('username', reasons.noUsername)],
    },
    'phone only': {
      users: [{ email: undefined, username: phone, attributes: { phoneNumber: [phone] } }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('username', reasons.noUsername)],
    },
    // The server skips the second one and reports it.
    'duplicate address': {
      users: [{}, { id: 'other', federatedIdentities: [] }],
      customers: [{}, { id: undefined, externalId: 'other', identities: undefined }],
      report: [],
    },
    'two passwords': {
      users: [{ credentials: [keycloakPassword('pbkdf2-sha256'), keycloakPassword('pbkdf2')] }],
      customers: [{}],
      report: [leftOut('credentials.password', keycloakReasons.otherPassword)],
    },
    'foreign hash': {
      users: [{ credentials: [keycloakPassword('md5')] }],
      customers: [{ passwordHash: undefined }],
      report: [leftOut('credentials.password', reasons.hashAlgorithm)],
    },
    'unreadable times': {
      users: [{ createdTimestamp: -1 }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('createdTimestamp', reasons.noTime)],
    },
    'metadata too big': {
      users: [{ attributes: { bio: [big] } }],
      customers: [{}],
      report: ['left_out attributes'],
    },
    'identity that never matches': {
      users: [{ federatedIdentities: [{ identityProvider: 'microsoft', userId: 'm1' }] }],
      customers: [{ identities: undefined }],
      report: ['left_out identity microsoft: '],
    },
    'missing companion file': {
      users: [
        { credentials: undefined, federatedIdentities: undefined, realmRoles: undefined, groups: undefined },
      ],
      customers: [{ passwordHash: undefined, identities: undefined }],
      report: [
        leftOut('credentials', keycloakReasons.unknownCredentials),
        leftOut('federatedIdentities', keycloakReasons.unknownIdentities),
        leftOut('roles', keycloakReasons.unknownAccess),
      ],
    },
    'factor that cannot be moved': {
      users: [{ credentials: [keycloakPassword('pbkdf2-sha256'), { type: 'webauthn' }] }],
      customers: [{}],
      report: [leftOut('credentials.webauthn', reasons.securityKey)],
    },
    'role or group': {
      users: [{ realmRoles: ['default-roles-acme', 'admin'], groups: ['/sales'] }],
      customers: [{}],
      report: [leftOut('roles', reasons.noRoles), leftOut('groups', reasons.noGroups)],
    },
  },
};

const signerKey = 'c2lnbmVy';
const firebaseHash = `${'A'.repeat(86)}==`;
const firebaseUser = {
  ...{ localId: 'uid1', email, emailVerified: true, passwordHash: firebaseHash, salt },
  ...{ createdAt: String(createdMs), providerUserInfo: [{ providerId: 'google.com', rawId: 'g1' }] },
};

const firebaseSystem: System & { cells: Record<Oddity, Cell> } = {
  source: firebase,
  files: (differences) => ({
    'hash-config.txt': `algorithm: SCRYPT, base64_signer_key: ${signerKey}, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14`,
    'users.json': json({ users: differences.map((difference) => ({ ...firebaseUser, ...difference })) }),
  }),
  values: (folder) => ({ hashConfig: join(folder, 'hash-config.txt') }),
  customer: {
    ...{ externalId: 'uid1', email, emailVerified: true, createdAt: created, identities: [google] },
    passwordHash: `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${signerKey}$${salt}$${firebaseHash}`,
  },
  cells: {
    banned: { users: [{ disabled: true }], customers: [{ disabledAt: created }], report: [] },
    deleted: 'Firebase deletes users immediately',
    unverified: { users: [{ emailVerified: false }], customers: [{ emailVerified: false }], report: [] },
    'no email': {
      users: [{ email: undefined, passwordHash: undefined, salt: undefined, providerUserInfo: [] }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('providerUserInfo', firebaseReasons.noMethod)],
    },
    'phone only': {
      users: [{ email: undefined, passwordHash: undefined, salt: undefined, phoneNumber: phone }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('phoneNumber', reasons.noPhone)],
    },
    // The server skips the second one and reports it.
    'duplicate address': {
      users: [{}, { localId: 'uid2', providerUserInfo: [] }],
      customers: [{}, { externalId: 'uid2', identities: undefined }],
      report: [],
    },
    'two passwords': 'a Firebase user has only one password',
    'foreign hash': {
      users: [{ version: 2 }],
      customers: [{ passwordHash: undefined }],
      report: [leftOut('passwordHash', reasons.noFirebaseHash)],
    },
    'unreadable times': {
      users: [{ createdAt: '-1' }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('createdAt', reasons.noTime)],
    },
    'metadata too big': {
      users: [{ customAttributes: json({ bio: big }) }],
      customers: [{}],
      report: ['left_out customAttributes'],
    },
    'identity that never matches': {
      users: [{ providerUserInfo: [{ providerId: 'facebook.com', rawId: 'f1' }] }],
      customers: [{ identities: undefined }],
      report: ['left_out identity facebook.com: '],
    },
    'missing companion file': {
      users: [],
      files: { 'users.csv': `uid1,${email},true,,,,,g1${','.repeat(16)}${createdMs},,,${','.repeat(26)}` },
      customers: [{ passwordHash: undefined }],
      report: [leftOut('mfaInfo', firebaseReasons.unknownFactors)],
    },
    'factor that cannot be moved': {
      users: [{ mfaInfo: [{ mfaEnrollmentId: '1', phoneInfo: phone }] }],
      customers: [{}],
      report: [leftOut('mfaInfo', reasons.firebaseFactor)],
    },
    'role or group': {
      users: [{ customAttributes: json({ role: 'admin' }) }],
      customers: [{ metadata: { role: 'admin' } }],
      report: [],
    },
  },
};

/**
 * A user from `list-users`.
 * @param fields the differences from an ordinary user; `attributes` are the differences in its attributes
 */
const cognitoUser = ({ attributes = {}, ...fields }: { attributes?: object }) => ({
  ...{ Username: uuid, Enabled: true, UserStatus: 'CONFIRMED', UserCreateDate: createdMs / 1_000 },
  Attributes: Object.entries({ sub: uuid, email, email_verified: 'true', ...attributes }).map(
    ([Name, Value]) => ({ Name, Value }),
  ),
  ...fields,
});
const cognitoAccount = (providerName: string, providerType: string) => ({
  identities: json([{ providerName, providerType, userId: 'g1' }]),
});
const cognitoPassword = leftOut('password', reasons.cognitoPassword);
const cognitoUnknown = [
  leftOut('mfa', cognitoReasons.unknownFactor),
  leftOut('groups', cognitoReasons.unknownGroups),
];
const notSentCognito = [cognitoPassword, ...cognitoUnknown].map((line) =>
  line.replace('left_out', 'not_sent'),
);

const cognitoSystem: System & { cells: Record<Oddity, Cell> } = {
  source: cognito,
  files: (differences) => ({ 'users.json': json({ Users: differences.map(cognitoUser) }) }),
  customer: { id: uuid, externalId: uuid, email, emailVerified: true, createdAt: created },
  cells: {
    banned: {
      users: [{ Enabled: false }],
      customers: [{ disabledAt: created }],
      report: [cognitoPassword, ...cognitoUnknown],
    },
    deleted: {
      users: [{ UserStatus: 'ARCHIVED' }],
      customers: [{ disabledAt: created }],
      report: [leftOut('UserStatus', cognitoReasons.archived), cognitoPassword, ...cognitoUnknown],
    },
    unverified: {
      users: [{ UserStatus: 'UNCONFIRMED', attributes: { email_verified: 'false' } }],
      customers: [{ emailVerified: false }],
      report: [leftOut('UserStatus', cognitoReasons.notConfirmed), cognitoPassword, ...cognitoUnknown],
    },
    'no email': {
      users: [{ attributes: { email: '' } }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), ...notSentCognito],
    },
    'phone only': {
      users: [{ attributes: { email: '', phone_number: phone } }],
      customers: [null],
      report: [
        notSent('email', reasons.noEmail),
        notSent('phone_number', reasons.noPhone),
        ...notSentCognito,
      ],
    },
    // The server skips the second one and reports it.
    'duplicate address': {
      users: [
        {},
        {
          ...{ Username: 'Google_g1', UserStatus: 'EXTERNAL_PROVIDER' },
          attributes: { sub: 'other', ...cognitoAccount('Google', 'Google') },
        },
      ],
      customers: [{}, { id: undefined, externalId: 'other', identities: [google] }],
      report: [cognitoPassword, ...cognitoUnknown, leftOut('groups', cognitoReasons.unknownGroups)],
    },
    'two passwords': 'a Cognito user has only one password, which is not exported',
    'foreign hash': {
      users: [{ UserStatus: 'FORCE_CHANGE_PASSWORD' }],
      customers: [{}],
      report: [leftOut('password', cognitoReasons.temporaryPassword), ...cognitoUnknown],
    },
    'unreadable times': {
      users: [{ UserCreateDate: 'yesterday' }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('UserCreateDate', reasons.noTime), cognitoPassword, ...cognitoUnknown],
    },
    'metadata too big': {
      users: [{ attributes: { 'custom:bio': big } }],
      customers: [{}],
      report: ['left_out Attributes', cognitoPassword, ...cognitoUnknown],
    },
    'identity that never matches': {
      users: [{ attributes: cognitoAccount('Facebook', 'Facebook') }],
      customers: [{}],
      report: [cognitoPassword, ...cognitoUnknown, 'left_out identity Facebook: '],
    },
    'missing companion file': {
      users: [],
      files: {
        'users.csv': `cognito:username,sub,email,email_verified,cognito:mfa_enabled\n${uuid},${uuid},${email},true,false\n`,
      },
      customers: [{ createdAt: undefined }],
      report: [
        cognitoPassword,
        leftOut('Enabled', cognitoReasons.unknownState),
        leftOut('identities', cognitoReasons.unknownIdentities),
        leftOut('mfa', cognitoReasons.unknownAuthenticator),
        leftOut('groups', cognitoReasons.unknownGroups),
      ],
    },
    'factor that cannot be moved': {
      users: [{ UserMFASettingList: ['SOFTWARE_TOKEN_MFA'] }],
      customers: [{}],
      report: [
        cognitoPassword,
        leftOut('mfa', reasons.cognitoFactor),
        leftOut('groups', cognitoReasons.unknownGroups),
      ],
    },
    'role or group': {
      users: [{}],
      customers: [{}],
      report: [cognitoPassword, ...cognitoUnknown],
    },
  },
};

/** Returns the files from Auth0. @param hashes the password export, by user id; undefined for no such file */
function auth0Files(differences: object[], hashes?: Record<string, string>): Record<string, string> {
  const users = differences.map((difference) =>
    json({
      ...{ user_id: 'auth0|1', email, email_verified: true, created_at: created, identities: [] },
      ...{ blocked: false, multifactor: [], app_metadata: {}, user_metadata: {} },
      ...difference,
    }),
  );
  const passwords = Object.entries(hashes ?? {}).map(([$oid, passwordHash]) =>
    json({ _id: { $oid }, passwordHash }),
  );
  return {
    'users.json': users.join('\n'),
    ...(hashes && { 'passwords.json': passwords.join('\n') }),
  };
}
const auth0Identity = (provider: string, userId: string) => ({
  ...{ provider, user_id: userId, connection: provider },
});

const auth0System: System = {
  source: auth0,
  files: (differences) => auth0Files(differences, { 1: bcrypt }),
  customer: { externalId: 'auth0|1', email, emailVerified: true, passwordHash: bcrypt, createdAt: created },
  cells: {
    banned: { users: [{ blocked: true }], customers: [{ disabledAt: created }], report: [] },
    deleted: 'Auth0 deletes users immediately',
    unverified: { users: [{ email_verified: false }], customers: [{ emailVerified: false }], report: [] },
    'no email': {
      users: [{ email: undefined }],
      customers: [null],
      report: [notSent('email', reasons.noEmail)],
    },
    'phone only': {
      users: [],
      files: auth0Files([{ user_id: 'sms|1', email: undefined, phone_number: phone }]),
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('phone_number', reasons.noPhone)],
    },
    'duplicate address': {
      users: [{}, { user_id: 'email|2' }],
      customers: [{}, { externalId: 'email|2', passwordHash: undefined }],
      report: [],
    },
    'two passwords': {
      users: [],
      files: auth0Files([{ identities: [auth0Identity('auth0', '1'), auth0Identity('auth0', '2')] }], {
        ...{ 1: bcrypt, 2: bcrypt.replace('$10$', '$11$') },
      }),
      customers: [{}],
      report: [leftOut('passwordHash', reasons.onePassword)],
    },
    'foreign hash': {
      users: [],
      files: auth0Files([{}], { 1: 'md5' }),
      customers: [{ passwordHash: undefined }],
      report: ['left_out passwordHash: '],
    },
    'unreadable times': {
      users: [{ created_at: 'yesterday' }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('created_at', reasons.noTime)],
    },
    'metadata too big': {
      users: [{ app_metadata: { bio: big } }],
      customers: [{}],
      report: ['left_out app_metadata'],
    },
    'identity that never matches': {
      users: [{ identities: [auth0Identity('auth0', '1'), auth0Identity('facebook', 'f1')] }],
      customers: [{}],
      report: ['left_out identity facebook: '],
    },
    'missing companion file': {
      users: [],
      files: auth0Files([{}]),
      customers: [{ passwordHash: undefined }],
      report: ['left_out passwordHash: '],
    },
    'factor that cannot be moved': {
      users: [{ mfa_factors: [{ phone: { value: phone } }] }],
      customers: [{}],
      report: [leftOut('mfa_factors', reasons.onlyTotp)],
    },
    'role or group': {
      users: [{ app_metadata: { roles: ['admin'] } }],
      customers: [{ metadata: { roles: ['admin'] } }],
      report: [],
    },
  },
};

/** Returns the files from Clerk. @param hasher the password hasher in the CSV export */
const clerkFiles = (differences: object[], hasher = 'bcrypt') => ({
  'users.json': differences
    .map((difference) =>
      json({
        ...{ id: 'user_1', created_at: createdMs, primary_email_address_id: 'idn_1', banned: false },
        email_addresses: [{ id: 'idn_1', email_address: email, verification: verified }],
        ...{ external_accounts: [], private_metadata: {}, public_metadata: {}, unsafe_metadata: {} },
        ...difference,
      }),
    )
    .join('\n'),
  'users.csv': [
    'id,primary_email_address,verified_email_addresses,unverified_email_addresses,password_digest,password_hasher',
    ...differences.map((difference) =>
      [...clerkCells({ id: 'user_1', email_addresses: null, ...difference }), bcrypt, hasher].join(','),
    ),
  ].join('\n'),
});

/** Returns the CSV cells of a user that is also in the JSON export. */
function clerkCells({ id, email_addresses: addresses }: { id: string; email_addresses: object[] | null }) {
  if (addresses?.length === 0) return [id, '', '', ''];
  return addresses?.[0] === unverifiedAddress ? [id, email, '', email] : [id, email, email, ''];
}
const verified = { status: 'verified' };
const unverifiedAddress = {
  ...{ id: 'idn_1', email_address: email, verification: { status: 'unverified' } },
};

const clerkSystem: System = {
  source: clerk,
  files: (differences) => clerkFiles(differences),
  customer: { externalId: 'user_1', email, emailVerified: true, passwordHash: bcrypt, createdAt: created },
  cells: {
    banned: { users: [{ banned: true }], customers: [{ disabledAt: created }], report: [] },
    deleted: 'Clerk deletes users immediately',
    unverified: {
      users: [{ email_addresses: [unverifiedAddress] }],
      customers: [{ emailVerified: false }],
      report: [],
    },
    'no email': {
      users: [{ email_addresses: [] }],
      customers: [null],
      report: [notSent('email', reasons.noEmail)],
    },
    'phone only': {
      users: [{ email_addresses: [], phone_numbers: [{ id: 'idn_2', phone_number: phone }] }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('phone_numbers', reasons.noPhone)],
    },
    'duplicate address': {
      users: [{}, { id: 'user_2' }],
      customers: [{}, { externalId: 'user_2' }],
      report: [],
    },
    'two passwords': 'a Clerk user has only one password',
    'foreign hash': {
      users: [],
      files: clerkFiles([{}], 'awscognito'),
      customers: [{ passwordHash: undefined }],
      report: [leftOut('password_digest', reasons.hasher)],
    },
    'unreadable times': {
      users: [{ created_at: -1 }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('created_at', reasons.noTime)],
    },
    'metadata too big': {
      users: [{ public_metadata: { bio: big } }],
      customers: [{}],
      report: ['left_out public_metadata'],
    },
    'identity that never matches': {
      users: [
        {
          external_accounts: [{ provider: 'oauth_facebook', provider_user_id: 'f1', verification: verified }],
        },
      ],
      customers: [{}],
      report: ['left_out identity facebook: '],
    },
    'factor that cannot be moved': {
      users: [{ passkeys: [{ id: 'idn_2' }] }],
      customers: [{}],
      report: [leftOut('passkeys', reasons.clerkPasskeys)],
    },
    'missing companion file': {
      users: [],
      files: { 'users.csv': clerkFiles([{}])['users.csv'] },
      customers: [{ createdAt: undefined }],
      report: ['banned', 'external_accounts', 'metadata'].map((field) => leftOut(field, unknown.clerkJson)),
    },
    'role or group': {
      users: [{ organization_memberships: [{ role: 'org:admin' }] }],
      customers: [{}],
      report: [leftOut('organization_memberships', reasons.noField)],
    },
  },
};

/** A row in `auth.users`. */
const supabaseUser = {
  ...{ id: uuid, email, encrypted_password: bcrypt, email_confirmed_at: created, created_at: created },
  ...{ banned_until: '', deleted_at: '', is_anonymous: 'f', phone: '' },
  ...{ is_sso_user: 'f', role: 'authenticated', is_super_admin: '' },
  ...{ raw_app_meta_data: '{}', raw_user_meta_data: '' },
};
const supabaseFiles = (
  differences: object[],
  { provider = 'google', factors = '' }: { provider?: string; factors?: string } = {},
) => ({
  'users.csv': [
    Object.keys(supabaseUser),
    ...differences.map((difference) => Object.values({ ...supabaseUser, ...difference })),
  ]
    .map((cells) => cells.join(','))
    .join('\n'),
  'identities.csv': `provider_id,user_id,provider\ng1,${uuid},${provider}\n`,
  'factors.csv': `user_id,factor_type,status,secret\n${factors}`,
});

const supabaseSystem: System = {
  source: supabase,
  files: (differences) => supabaseFiles(differences),
  customer: {
    ...{ id: uuid, externalId: uuid, email, emailVerified: true, passwordHash: bcrypt, createdAt: created },
    identities: [google],
  },
  cells: {
    banned: {
      users: [{ banned_until: '2999-01-01 00:00:00+00' }],
      customers: [{ disabledAt: created }],
      report: [leftOut('banned_until', reasons.banWithoutEnd)],
    },
    deleted: { users: [{ deleted_at: created }], customers: [null], report: [notSent('', reasons.deleted)] },
    unverified: { users: [{ email_confirmed_at: '' }], customers: [{ emailVerified: false }], report: [] },
    'no email': {
      users: [{ email: '' }],
      customers: [null],
      report: [notSent('email', reasons.noEmail)],
    },
    'phone only': {
      users: [{ email: '', phone }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('phone', reasons.noPhone)],
    },
    'duplicate address': {
      users: [{}, { id: 'other' }],
      customers: [{}, { id: undefined, externalId: 'other', identities: undefined }],
      report: [],
    },
    'two passwords': 'a Supabase user has only one password',
    'foreign hash': {
      users: [{ encrypted_password: 'md5' }],
      customers: [{ passwordHash: undefined }],
      report: ['left_out encrypted_password: '],
    },
    'unreadable times': {
      users: [{ created_at: '0001-01-01 00:00:00+00' }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('created_at', reasons.noTime)],
    },
    'metadata too big': {
      users: [{ raw_user_meta_data: `"{""bio"":""${big}""}"` }],
      customers: [{}],
      report: ['left_out raw_user_meta_data'],
    },
    'identity that never matches': {
      users: [],
      files: supabaseFiles([{}], { provider: 'facebook' }),
      customers: [{ identities: undefined }],
      report: ['left_out identity facebook: '],
    },
    'factor that cannot be moved': {
      users: [],
      files: supabaseFiles([{}], { factors: `${uuid},phone,verified,\n` }),
      customers: [{}],
      report: [leftOut('mfa_factors', reasons.onlyTotp)],
    },
    'missing companion file': {
      users: [],
      files: {
        'users.csv': supabaseFiles([{ raw_app_meta_data: '"{""providers"":[""google""]}"' }])['users.csv'],
      },
      customers: [{ identities: undefined }],
      report: [leftOut('mfa_factors', unknown.factors), leftOut('identity google', unknown.identities)],
    },
    'role or group': {
      users: [{ raw_app_meta_data: '"{""role"":""admin""}"' }],
      customers: [{ metadata: { role: 'admin' } }],
      report: [],
    },
  },
};

const credential = { userId: 'b1', providerId: 'credential', accountId: 'b1', password: bcrypt };
const betterAuthFiles = (
  users: object[],
  accounts: object[] = [credential, { ...credential, providerId: 'google', accountId: 'g1', password: null }],
  others: Record<string, string> = {},
): Record<string, string> => ({
  'user.json': json(
    users.map((user) => ({
      ...{ id: 'b1', name: null, email, emailVerified: true, createdAt: created },
      ...{ banned: false, twoFactorEnabled: false, ...user },
    })),
  ),
  'account.json': json(accounts),
  ...others,
});

const betterAuthSystem: System & { cells: Record<Oddity, Cell> } = {
  source: betterAuth,
  files: (differences) => betterAuthFiles(differences),
  customer: {
    ...{ externalId: 'b1', email, emailVerified: true, createdAt: created },
    ...{ passwordHash: bcrypt, identities: [google] },
  },
  cells: {
    banned: { users: [{ banned: true }], customers: [{ disabledAt: created }], report: [] },
    deleted: 'Better Auth deletes users immediately',
    unverified: { users: [{ emailVerified: false }], customers: [{ emailVerified: false }], report: [] },
    'no email': { users: [{ email: '' }], customers: [null], report: [notSent('email', reasons.noEmail)] },
    'phone only': {
      users: [{ email: null, phoneNumber: phone }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('phoneNumber', reasons.noPhone)],
    },
    'duplicate address': {
      users: [{}, { id: 'b2' }],
      customers: [{}, { externalId: 'b2', passwordHash: undefined, identities: undefined }],
      report: [],
    },
    'two passwords': {
      users: [],
      files: betterAuthFiles([{}], [credential, { ...credential, password: `${bcrypt}2` }]),
      customers: [{ identities: undefined }],
      report: [leftOut('account.password', reasons.onePassword)],
    },
    'foreign hash': {
      users: [],
      files: betterAuthFiles([{}], [{ ...credential, password: 'md5' }]),
      customers: [{ passwordHash: undefined, identities: undefined }],
      report: [leftOut('account.password', reasons.hashFormat)],
    },
    'unreadable times': {
      users: [{ createdAt: 'yesterday' }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('createdAt', reasons.noTime)],
    },
    'metadata too big': 'Better Auth has no metadata',
    'identity that never matches': {
      users: [],
      files: betterAuthFiles([{}], [credential, { ...credential, providerId: 'facebook', password: null }]),
      customers: [{ identities: undefined }],
      report: ['left_out identity facebook: '],
    },
    'missing companion file': {
      users: [{ twoFactorEnabled: true }],
      customers: [{}],
      report: ['left_out twoFactorEnabled: The user has a second factor, but the files do not contain it'],
    },
    'factor that cannot be moved': {
      users: [],
      files: betterAuthFiles([{}], undefined, {
        'passkey.json': json([{ userId: 'b1', credentialID: 'AAAA', publicKey: 'AAAA' }]),
      }),
      customers: [{}],
      report: ['left_out passkey: Better Auth does not store the user handle'],
    },
    'role or group': {
      users: [{ role: 'admin' }],
      customers: [{}],
      report: [leftOut('role', reasons.noRoles)],
    },
  },
};

const logtoUser = {
  ...{ id: 'l1', primary_email: email, password_encrypted: bcrypt, password_encryption_method: 'Bcrypt' },
  ...{ identities: { google: { userId: 'g1' } }, created_at: createdMs, updated_at: createdMs },
  ...{ is_suspended: false, sso_identities: [], mfa_verifications: [], custom_data: {} },
};

const logtoSystem: System & { cells: Record<Oddity, Cell> } = {
  source: logto,
  files: (differences) => ({
    'users.json': json(differences.map((difference) => ({ ...logtoUser, ...difference }))),
  }),
  customer: {
    ...{ externalId: 'l1', email, emailVerified: true, createdAt: created, updatedAt: created },
    ...{ passwordHash: bcrypt, identities: [google] },
  },
  cells: {
    banned: { users: [{ is_suspended: true }], customers: [{ disabledAt: created }], report: [] },
    deleted: 'Logto deletes users immediately',
    unverified: 'Logto stores an address only after verifying it',
    'no email': {
      users: [{ primary_email: null }],
      customers: [null],
      report: [notSent('email', reasons.noEmail)],
    },
    'phone only': {
      users: [{ primary_email: null, primary_phone: phone }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('primaryPhone', reasons.noPhone)],
    },
    'duplicate address': { users: [{}, { id: 'l2' }], customers: [{}, { externalId: 'l2' }], report: [] },
    'two passwords': 'a Logto user has only one password',
    'foreign hash': {
      users: [{ password_encrypted: '0'.repeat(32), password_encryption_method: 'MD5' }],
      customers: [{ passwordHash: undefined }],
      report: ['left_out passwordEncrypted: The password hash has no salt'],
    },
    'unreadable times': {
      users: [{ created_at: 'yesterday' }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('createdAt', reasons.noTime)],
    },
    'metadata too big': {
      users: [{ custom_data: { bio: big } }],
      customers: [{}],
      report: ['left_out customData'],
    },
    'identity that never matches': {
      users: [{ identities: { facebook: { userId: 'f1' } } }],
      customers: [{ identities: undefined }],
      report: ['left_out identity facebook: '],
    },
    'missing companion file': {
      users: [{ password_encrypted: undefined, hasPassword: true }],
      customers: [{ passwordHash: undefined }],
      report: ['left_out passwordEncrypted: The user has a password, but the files do not contain it'],
    },
    'factor that cannot be moved': {
      users: [{ mfa_verifications: [{ type: 'WebAuthn' }] }],
      customers: [{}],
      report: [leftOut('mfaVerifications', reasons.securityKey)],
    },
    'role or group': 'the table users does not contain roles and organizations',
  },
};

const kratosPassword = (hash: string) => ({ password: { config: { hashed_password: hash } } });
const kratosAddress = { value: email, via: 'email', verified: true };
const kratosIdentity = {
  ...{
    id: uuid,
    state: 'active',
    traits: { email },
    verifiable_addresses: [kratosAddress],
    created_at: created,
  },
  credentials: {
    ...kratosPassword(bcrypt),
    oidc: { config: { providers: [{ provider: 'google', subject: 'g1' }] } },
  },
};

const kratosSystem: System & { cells: Record<Oddity, Cell> } = {
  source: kratos,
  files: (differences) => ({
    'identities.json': json(differences.map((difference) => ({ ...kratosIdentity, ...difference }))),
  }),
  customer: {
    ...{ id: uuid, externalId: uuid, email, emailVerified: true, createdAt: created },
    ...{ passwordHash: bcrypt, identities: [google] },
  },
  cells: {
    banned: { users: [{ state: 'inactive' }], customers: [{ disabledAt: created }], report: [] },
    deleted: 'Kratos deletes identities immediately',
    unverified: {
      users: [{ verifiable_addresses: [{ ...kratosAddress, verified: false }] }],
      customers: [{ emailVerified: false }],
      report: [],
    },
    'no email': {
      users: [{ traits: { username: 'ada' }, verifiable_addresses: [] }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('traits.username', reasons.noUsername)],
    },
    'phone only': {
      users: [{ traits: { phone }, verifiable_addresses: [{ value: phone, via: 'sms', verified: true }] }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('traits.phone', reasons.noPhone)],
    },
    'duplicate address': {
      users: [{}, { id: 'k2' }],
      customers: [{}, { id: undefined, externalId: 'k2' }],
      report: [],
    },
    'two passwords': 'a Kratos identity has only one password',
    'foreign hash': {
      users: [{ credentials: kratosPassword('$md5$x') }],
      customers: [{ passwordHash: undefined, identities: undefined }],
      report: [leftOut('credentials.password', reasons.hashFormat)],
    },
    'unreadable times': {
      users: [{ created_at: 'yesterday' }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('created_at', reasons.noTime)],
    },
    'metadata too big': {
      users: [{ metadata_public: { bio: big } }],
      customers: [{}],
      report: ['left_out metadata_public'],
    },
    'identity that never matches': {
      users: [
        { credentials: { oidc: { config: { providers: [{ provider: 'facebook', subject: 'f1' }] } } } },
      ],
      customers: [{ passwordHash: undefined, identities: undefined }],
      report: ['left_out identity facebook: '],
    },
    'missing companion file': {
      users: [{ credentials: { password: {} } }, { credentials: undefined }],
      customers: [
        { passwordHash: undefined, identities: undefined },
        { passwordHash: undefined, identities: undefined },
      ],
      report: [
        'left_out credentials.password: The export contains this credential without its configuration',
        'left_out credentials: The export does not contain the credentials of the identity',
      ],
    },
    'factor that cannot be moved': {
      users: [{ credentials: { lookup_secret: {} } }],
      customers: [{ passwordHash: undefined, identities: undefined }],
      report: [leftOut('credentials.lookup_secret', reasons.recoveryCodes)],
    },
    'role or group': {
      users: [{ organization_id: uuid }],
      customers: [{}],
      report: [leftOut('organization_id', reasons.noField)],
    },
  },
};

const supertokensAccount = { user_id: uuid, email, time_joined: createdMs };
const supertokensFiles = (
  ids: string[],
  others: Record<string, object[]>,
  passwords: object[] = [{}],
): Record<string, string> => ({
  'all.json': json(
    ids.map((id) => ({
      ...{ user_id: id, primary_or_recipe_user_id: uuid },
      recipe_id: passwords.length > 0 ? 'emailpassword' : (Object.keys(others)[0] ?? 'emailpassword'),
    })),
  ),
  'no-metadata.csv': 'user_id,user_metadata\n',
  'no-roles.csv': 'user_id,role\n',
  'no-devices.csv': 'user_id,secret_key,verified\n',
  'no-mapping.csv': 'supertokens_user_id,external_user_id\n',
  ...(passwords.length > 0 && {
    'emailpassword.json': json(
      passwords.map((row) => ({ ...supertokensAccount, password_hash: bcrypt, ...row })),
    ),
  }),
  'verified.json': json([{ user_id: uuid, email }]),
  ...Object.fromEntries(
    Object.entries(others).map(([name, rows]) => [
      `${name}.json`,
      json(rows.map((row) => ({ user_id: uuid, ...row }))),
    ]),
  ),
});
const thirdParty = { email, third_party_id: 'facebook', third_party_user_id: 'f1' };

const supertokensSystem: System & { cells: Record<Oddity, Cell> } = {
  source: supertokens,
  files: (differences) => supertokensFiles([uuid], {}, differences),
  customer: {
    ...{ id: uuid, externalId: uuid, email, emailVerified: true, createdAt: created, passwordHash: bcrypt },
  },
  cells: {
    banned: 'SuperTokens has no bans',
    deleted: 'SuperTokens deletes users immediately',
    unverified: {
      users: [{ email: 'b@example.com' }],
      customers: [{ email: 'b@example.com', emailVerified: false }],
      report: [],
    },
    'no email': {
      users: [],
      files: supertokensFiles([uuid], { thirdparty: [{ ...thirdParty, email: '' }] }, []),
      customers: [null],
      report: [notSent('email', reasons.noEmail)],
    },
    'phone only': {
      users: [],
      files: supertokensFiles([uuid], { passwordless: [{ email: null, phone_number: phone }] }, []),
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('phone_number', reasons.noPhone)],
    },
    'duplicate address':
      'linked accounts become one customer, and other users with the same address are skipped',
    'two passwords': {
      users: [],
      files: supertokensFiles([uuid, 's2'], {}, [{}, { user_id: 's2' }]),
      customers: [{}],
      report: [leftOut('password_hash', reasons.onePassword)],
    },
    'foreign hash': {
      users: [{ password_hash: '$f_scrypt$x' }],
      customers: [{ passwordHash: undefined }],
      report: ['left_out password_hash: The hash is a Firebase hash'],
    },
    'unreadable times': {
      users: [{ time_joined: 'yesterday' }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('time_joined', reasons.noTime)],
    },
    'metadata too big': {
      users: [],
      files: supertokensFiles([uuid], { metadata: [{ user_metadata: { bio: big } }] }),
      customers: [{}],
      report: ['left_out user_metadata'],
    },
    'identity that never matches': {
      users: [],
      files: supertokensFiles([uuid], { thirdparty: [thirdParty] }),
      customers: [{}],
      report: ['left_out identity facebook: '],
    },
    'missing companion file': {
      users: [],
      files: supertokensFiles([uuid], {}, []),
      customers: [null],
      report: ['not_sent : The files contain no account for this user'],
    },
    'factor that cannot be moved': {
      users: [],
      files: supertokensFiles([uuid], { totp: [{ secret_key: 'x', period: 60, verified: true }] }),
      customers: [{}],
      report: [leftOut('totp_user_devices', reasons.totpParameters)],
    },
    'role or group': {
      users: [],
      files: supertokensFiles([uuid], { roles: [{ role: 'admin' }] }),
      customers: [{}],
      report: [leftOut('user_roles', reasons.noRoles)],
    },
  },
};

const phpass = '$P$B44iPs3V0/d42J83rtnf6f6K8b4y7F1';
const wordpressFiles = (
  users: { ID?: number }[],
  meta: Record<string, string> = {},
  ids = users.map(({ ID = 1 }) => ID),
): Record<string, string> => ({
  'users.json': json(
    users.map((user) => ({
      ...{ ID: 1, user_login: email, user_email: email, user_pass: phpass, display_name: email },
      ...{ user_registered: '2020-09-13 12:26:40', user_status: 0, ...user },
    })),
  ),
  'usermeta.json': json(
    ids.flatMap((id) =>
      Object.entries({ nickname: 'ada', ...meta }).map(([name, value]) => ({
        ...{ user_id: id, meta_key: name, meta_value: value },
      })),
    ),
  ),
});

const wordpressSystem: System & { cells: Record<Oddity, Cell> } = {
  source: wordpress,
  files: (differences) => wordpressFiles(differences),
  customer: { externalId: '1', email, emailVerified: false, createdAt: created, passwordHash: phpass },
  cells: {
    banned: {
      users: [{ spam: 1 }, { ID: 2, user_status: 1 }],
      customers: [{ disabledAt: created }, { externalId: '2', disabledAt: created }],
      report: ['left_out user_status: WordPress itself does not use user_status'],
    },
    deleted: { users: [{ deleted: 1 }], customers: [null], report: [notSent('', reasons.deleted)] },
    unverified: 'WordPress does not store this state, so every customer is imported as not verified',
    'no email': {
      users: [{ user_login: 'ada', user_email: '' }],
      customers: [null],
      report: [notSent('email', reasons.noEmail), notSent('user_login', reasons.noUsername)],
    },
    'phone only': 'WordPress has no phone numbers',
    'duplicate address': { users: [{}, { ID: 2 }], customers: [{}, { externalId: '2' }], report: [] },
    'two passwords': 'a WordPress user has only one password',
    'foreign hash': {
      users: [{ user_pass: '0'.repeat(32) }],
      customers: [{ passwordHash: undefined }],
      report: ['left_out user_pass: The password hash is MD5 without a salt'],
    },
    'unreadable times': {
      users: [{ user_registered: '0000-00-00 00:00:00' }],
      customers: [{ createdAt: undefined }],
      report: [leftOut('user_registered', reasons.noTime)],
    },
    'metadata too big': {
      users: [],
      files: wordpressFiles([{}], { billing_address: big }),
      customers: [{}],
      report: ['left_out wp_usermeta: Gatehouse does not import what plugins store'],
    },
    'identity that never matches': 'WordPress has no accounts at identity providers',
    'missing companion file': {
      users: [],
      files: wordpressFiles([{ ID: 2 }], {}, [1]),
      customers: [{ externalId: '2' }],
      report: [
        'left_out wp_usermeta: The table wp_usermeta has no row for the user',
        'not_sent wp_usermeta: The table wp_users does not contain the user of these rows',
      ],
    },
    'factor that cannot be moved': {
      users: [],
      files: wordpressFiles([{}], {
        _two_factor_enabled_providers: 'a:1:{i:0;s:16:"Two_Factor_Email";}',
      }),
      customers: [{}],
      report: [leftOut('second factor', reasons.onlyTotp)],
    },
    'role or group': {
      users: [],
      files: wordpressFiles([{}], { wp_capabilities: 'a:1:{s:13:"administrator";b:1;}' }),
      customers: [{}],
      report: [leftOut('capabilities', reasons.noRoles)],
    },
  },
};

const systems = [
  ...[keycloakSystem, firebaseSystem, cognitoSystem, auth0System, clerkSystem, supabaseSystem],
  ...[betterAuthSystem, logtoSystem, kratosSystem, supertokensSystem, wordpressSystem],
];

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-oddities-'))));
afterAll(() => rmSync(folder, { recursive: true }));

interface Conversion {
  customers: ImportedCustomer[];
  entries: ReportEntry[];
}

/** The conversions so far, because the page contains the results of all imports in these tests. */
const conversions = new Map<string, Promise<Conversion>>();

/**
 * Returns the customers that an import with these files sends to a project with the provider `google`, and the report.
 */
function convert(system: System, contents: Record<string, string>): Promise<Conversion> {
  const key = JSON.stringify([system.source.name, contents]);
  const conversion = conversions.get(key) ?? convertFiles(system, contents);
  conversions.set(key, conversion);
  return conversion;
}

async function convertFiles(
  { source, values }: System,
  contents: Record<string, string>,
): Promise<Conversion> {
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);
  const options = { values: 'hash-config.txt' in contents ? (values?.(folder) ?? {}) : {} };
  const files = Object.keys(contents).filter((name) => name !== 'hash-config.txt');
  const { providers, unusableProviders = {} } = source;
  const slugs = new IdentitySlugs(new Map(Object.entries(providers)), [{ slug: 'google', type: 'google' }], {
    unusableProviders,
  });
  async function* records() {
    for await (const record of source.read(
      files.map((name) => join(folder, name)),
      options,
    ))
      yield reportUnusedApp(slugs.resolve(record), 'optional');
  }
  const reportFile = join(folder, 'report.ndjson');
  const report = new ImportReport(reportFile);
  const customers: ImportedCustomer[] = [];
  for await (const record of toLines(records(), (each) => report.addRecord(each)))
    if (record?.customer) customers.push(record.customer);
  await report.close();
  const lines = readFileSync(reportFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return { customers, entries: lines.map((line) => JSON.parse(line) as ReportEntry) };
}

const cells = systems.flatMap((system) =>
  oddities.flatMap((oddity) => {
    const cell = system.cells[oddity];
    return typeof cell === 'object' ? [[system.source.name, oddity, system, cell] as const] : [];
  }),
);

it.each(cells)('imports or reports a user from %s with the oddity: %s', async (_, __, system, cell) => {
  const { customers, entries } = await convert(system, cell.files ?? system.files(cell.users));
  expect(customers).toEqual(
    cell.customers.filter((each) => each !== null).map((each) => ({ ...system.customer, ...each })),
  );
  const lines = entries.map(({ result, field, reason }) => `${result} ${field}: ${reason}`);
  expect(lines.map((line, index) => line.slice(0, cell.report[index]?.length))).toEqual(cell.report);
  // Each line contains a remedy, and belongs to a user.
  for (const { remedy, sourceId } of entries)
    expect([remedy, sourceId]).toEqual([expect.stringMatching(/^[A-Z].*[^.]$/), expect.any(String)]);
});

it('covers every oddity for each system', () => {
  for (const { cells: known } of systems) expect(Object.keys(known).sort()).toEqual([...oddities].sort());
});

describe('docs/moving-in/unusual-users.md', () => {
  const page = 'docs/moving-in/unusual-users.md';

  /** Returns the report lines for files, without the lines for every user. */
  async function listLines(system: System, files: Record<string, string>): Promise<string[]> {
    const { entries } = await convert(system, files);
    return [...new Set(entries.map(({ field, reason }) => (field ? `\`${field}\`: ${reason}` : reason)))];
  }

  const describeCustomer = (differences: object | null): string => {
    if (!differences) return 'not imported';
    const entries = Object.entries(differences);
    const values = entries.filter(([, value]) => value !== undefined);
    const missing = entries.filter(([, value]) => value === undefined).map(([name]) => `\`${name}\``);
    return [
      'imported',
      ...(values.length > 0
        ? [`with ${values.map(([name, value]) => `\`${name}: ${json(value)}\``).join(', ')}`]
        : []),
      ...(missing.length > 0 ? [`without ${missing.join(', ')}`] : []),
    ].join(' ');
  };

  async function createRow(system: System, oddity: Oddity, usual: string[]): Promise<string[]> {
    const cell = system.cells[oddity];
    if (cell === undefined) return ['see the page of the system', ''];
    if (typeof cell === 'string') return [`not applicable: ${cell}`, ''];
    const lines = await listLines(system, cell.files ?? system.files(cell.users));
    // The server skips the second one (test/clients/cli-import-formats.spec.ts).
    const customer =
      oddity === 'duplicate address'
        ? 'the first user is imported, and the second one is `skipped`'
        : cell.customers.map(describeCustomer).join('; ');
    return [customer, lines.filter((line) => !usual.includes(line)).join('. ')];
  }

  async function createTable(title: string, system: System): Promise<string> {
    const usual = await listLines(system, system.files([{}]));
    const rows: string[] = [];
    for (const oddity of oddities)
      rows.push(`| ${[oddity, ...(await createRow(system, oddity, usual))].join(' | ')} |`);
    return [
      `## ${title}`,
      '',
      ...(usual.length > 0
        ? ['For every user, the report contains:', '', ...usual.map((line) => `- ${line}`), '']
        : []),
      '| User | Customer | Report |',
      '| :-- | :-- | :-- |',
      ...rows,
    ].join('\n');
  }

  it('contains the results of these imports', async () => {
    const tables = [
      await createTable('Auth0', auth0System),
      await createTable('Better Auth', betterAuthSystem),
      await createTable('Clerk', clerkSystem),
      await createTable('Amazon Cognito', cognitoSystem),
      await createTable('Firebase', firebaseSystem),
      await createTable('Keycloak', keycloakSystem),
      await createTable('Logto', logtoSystem),
      await createTable('Ory Kratos', kratosSystem),
      await createTable('Supabase', supabaseSystem),
      await createTable('SuperTokens', supertokensSystem),
      await createTable('WordPress', wordpressSystem),
    ].join('\n\n');
    const start = '<!-- tables: UPDATE_PAGE=1 npx jest --selectProjects unit --testPathPatterns oddities -->';
    const content = readFileSync(page, 'utf8');
    const introduction = content.slice(0, content.indexOf(start) + start.length);
    const expected = `${introduction}\n\n${tables}\n`;
    if (process.env['UPDATE_PAGE']) writeFileSync(page, expected);
    // oxfmt aligns the columns.
    const withoutAlignment = (text: string): string => text.replace(/ +/g, ' ').replace(/-{2,}/g, '--');
    expect(withoutAlignment(readFileSync(page, 'utf8'))).toBe(withoutAlignment(expected));
  });
});
