import type { JsonObject } from '../../json-object.js';
import type { SourceRecord } from '../source.js';
import { cognitoReasons } from './cognito-reasons.js';
import { convertCognitoRow, convertCognitoUser } from './cognito.js';

const sub = '427f0e89-dd0a-48be-927d-8f8c0e938d57';
const attributes = {
  sub,
  email: 'ada@example.com',
  email_verified: 'true',
  given_name: 'Ada',
  family_name: 'Byron',
};
const user = (more: Record<string, string>, fields: object = {}) => ({
  Username: sub,
  Attributes: Object.entries({ ...attributes, ...more }).map(([Name, Value]) => ({ Name, Value })),
  UserCreateDate: '2020-09-13T14:26:40.123456+02:00',
  UserLastModifiedDate: 1_600_000_001.5,
  Enabled: true,
  UserStatus: 'CONFIRMED',
  ...fields,
});
const ada = {
  id: sub,
  externalId: sub,
  email: 'ada@example.com',
  emailVerified: true,
  firstName: 'Ada',
  lastName: 'Byron',
  createdAt: '2020-09-13T12:26:40.123Z',
  updatedAt: '2020-09-13T12:26:41.500Z',
};
const unverified = { ...ada, emailVerified: false };
const external = { UserStatus: 'EXTERNAL_PROVIDER', Username: 'Google_1234' };
const identity = {
  userId: '1234',
  providerName: 'Google',
  providerType: 'Google',
  issuer: null,
  primary: true,
};
/** `admin-get-user` contains the second factors, and uses another name for the attributes. */
const adminGetUser = { Attributes: undefined, UserAttributes: user({}).Attributes };
/** The values that `list-users` does not contain. */
const unknown = ['mfa', 'groups'];
type Case = [name: string, user: object, customer: object | null, leftOut: string[]];
const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

describe('a user from `list-users`', () => {
  it.each<Case>([
    ['a complete user', user({}), ada, ['password', ...unknown]],
    ['no email address', user({ email: '' }), null, ['email', 'password', ...unknown]],
    [
      'only a phone number',
      user({ email: '', phone_number: '+15550100' }),
      null,
      ['email', 'phone_number', 'password', ...unknown],
    ],
    [
      'an unverified address',
      user({ email_verified: 'false' }),
      { ...ada, emailVerified: false },
      ['password', ...unknown],
    ],
    [
      'a disabled user',
      user({}, { Enabled: false }),
      { ...ada, disabledAt: ada.updatedAt },
      ['password', ...unknown],
    ],
    ['a state of the wrong type', user({}, { Enabled: 'off' }), null, ['Enabled']],
    [
      'attributes whose JSON is parsed',
      user({ identities: [identity, 'x'], email_verified: true } as never, external),
      { ...ada, identities: [{ provider: 'Google', subject: '1234' }] },
      ['identities', 'groups'],
    ],
    ['a username', user({}, { Username: 'ada' }), ada, ['Username', 'password', ...unknown]],
    [
      'no account at the provider',
      user({}, external),
      unverified,
      ['email_verified', 'identities', 'groups'],
    ],
    ...['RESET_REQUIRED', 'FORCE_CHANGE_PASSWORD'].map((UserStatus): Case => [
      `the status ${UserStatus}`,
      user({}, { UserStatus }),
      ada,
      ['password', ...unknown],
    ]),
    ...['UNCONFIRMED', 'UNKNOWN', 'BLOCKED'].map((UserStatus): Case => [
      `the status ${UserStatus}`,
      user({}, { UserStatus }),
      ada,
      ['UserStatus', 'password', ...unknown],
    ]),
    ...['ARCHIVED', 'COMPROMISED'].map((UserStatus): Case => [
      `the status ${UserStatus}`,
      user({}, { UserStatus }),
      { ...ada, disabledAt: ada.updatedAt },
      ['UserStatus', 'password', ...unknown],
    ]),
    ...[
      { UserMFASettingList: ['SOFTWARE_TOKEN_MFA'] },
      { PreferredMfaSetting: 'SMS_MFA' },
      { MFAOptions: [{ DeliveryMedium: 'SMS' }] },
      { MFAOptions: { DeliveryMedium: 'SMS' } },
      { UserMFASettingList: 'SOFTWARE_TOKEN_MFA' },
      { UserMFASettingList: { totp: true } },
    ].map((fields): Case => [
      `a second factor in ${Object.keys(fields).join()}`,
      user({}, fields),
      ada,
      ['password', 'mfa', 'groups'],
    ]),
    [
      'groups and a field that Cognito does not have',
      user({}, { Groups: ['admin'], Tier: 'gold' }),
      ada,
      ['password', 'mfa', 'groups', 'Tier'],
    ],
    ['no groups', user({}, { Groups: [] }), ada, ['password', 'mfa']],
    [
      'times as strings with seconds',
      user({}, { UserCreateDate: '1600000000.123', UserLastModifiedDate: '1600000001' }),
      { ...ada, updatedAt: '2020-09-13T12:26:41.000Z' },
      ['password', ...unknown],
    ],
    [
      'two addresses',
      user({}, { Attributes: [...user({}).Attributes, { Name: 'email', Value: 'eve@example.com' }] }),
      unverified,
      ['password', ...unknown, 'email'],
    ],
    [
      'a SAML provider in lower case',
      user({ identities: JSON.stringify([{ ...identity, providerType: 'saml' }]) }, external),
      unverified,
      ['identities', 'email_verified', 'groups'],
    ],
    [
      'an OpenID Provider of a company',
      user(
        { identities: JSON.stringify([{ ...identity, providerName: 'acme', providerType: 'OIDC' }]) },
        external,
      ),
      { ...unverified, identities: [{ provider: 'acme', subject: '1234' }] },
      ['email_verified', 'groups'],
    ],
    [
      'a provider of an unknown type',
      user({ identities: JSON.stringify([{ providerName: 'acme', userId: '1234' }]) }, external),
      { ...unverified, identities: [{ provider: 'acme', subject: '1234' }] },
      ['email_verified', 'groups'],
    ],
    ['a user from admin-get-user', { ...user({}), ...adminGetUser }, ada, ['password', 'groups']],
    [
      'an account at a provider',
      user({ identities: JSON.stringify([identity]) }, external),
      { ...ada, identities: [{ provider: 'Google', subject: '1234' }] },
      ['groups'],
    ],
    [
      'accounts that cannot be moved',
      user({ identities: JSON.stringify([{ ...identity, providerType: 'SAML' }, {}]) }, external),
      unverified,
      ['identities', 'identities', 'email_verified', 'groups'],
    ],
    [
      'an unverified address and an account at a SAML provider',
      user({
        email_verified: 'false',
        identities: JSON.stringify([identity, { ...identity, providerType: 'SAML' }]),
      }),
      { ...ada, emailVerified: false, identities: [{ provider: 'Google', subject: '1234' }] },
      ['identities', 'password', ...unknown],
    ],
    [
      'malformed identities',
      user({ identities: '[' }, external),
      unverified,
      ['identities', 'email_verified', 'groups'],
    ],
    [
      'other attributes',
      user({
        'custom:plan': 'pro',
        'dev:custom:tier': '1',
        'custom:nickname': 'Countess',
        nickname: 'A',
        locale: 'de_AT',
      }),
      {
        ...ada,
        locale: 'de-AT',
        metadata: { plan: 'pro', tier: '1', nickname: 'A', 'custom:nickname': 'Countess' },
      },
      ['password', ...unknown],
    ],
    [
      'a full name',
      user({ given_name: '', family_name: '', name: 'Ada King Lovelace' }),
      { ...ada, firstName: 'Ada King', lastName: 'Lovelace' },
      ['password', ...unknown],
    ],
    [
      'a name that differs',
      user({ name: 'Countess' }),
      { ...ada, metadata: { name: 'Countess' } },
      ['password', ...unknown],
    ],
    ['no attributes', { Username: 'ada' }, null, ['email', 'password', 'mfa', 'Enabled', 'groups']],
  ])('converts the user and reports lost values: %s', (_, input, customer, leftOut) => {
    const record = convertCognitoUser('users.json#1', input as JsonObject);
    expect(record.customer).toEqual(customer);
    expect(fieldsOf(record)).toEqual(leftOut);
  });
});

describe('a row with the columns from `get-csv-header`', () => {
  it('converts the row like a user from JSON', () => {
    const row = {
      ...attributes,
      sub: '',
      name: '',
      email_verified: 'TRUE',
      'cognito:mfa_enabled': 'TRUE',
      'cognito:username': 'ada',
      'custom:plan': 'pro',
      updated_at: '1600000001',
    };
    const record = convertCognitoRow('users.csv:2', row);
    expect(record.customer).toEqual({
      ...{ ...ada, id: undefined, createdAt: undefined },
      externalId: 'ada',
      metadata: { plan: 'pro' },
      updatedAt: '2020-09-13T12:26:41.000Z',
    });
    expect(fieldsOf(record)).toEqual(['password', 'mfa', 'Enabled', 'identities', 'groups']);
    for (const [updated_at, updatedAt] of [
      ['2020-09-13T12:26:41Z', '2020-09-13T12:26:41.000Z'],
      ['yesterday', undefined],
    ] as const) {
      const other = convertCognitoRow('users.csv:2', { ...row, updated_at });
      expect(other.customer?.updatedAt).toBe(updatedAt);
      expect(fieldsOf(other).includes('UserLastModifiedDate')).toBe(updatedAt === undefined);
    }
    const withoutFactor = convertCognitoRow('users.csv:2', { ...row, 'cognito:mfa_enabled': 'FALSE' });
    expect(withoutFactor.leftOut.find(({ field }) => field === 'mfa')).toEqual({
      field: 'mfa',
      ...cognitoReasons.unknownAuthenticator,
    });
  });
});
