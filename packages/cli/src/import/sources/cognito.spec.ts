import type { SourceRecord } from '../source.js';
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
const external = { UserStatus: 'EXTERNAL_PROVIDER', Username: 'Google_1234' };
const identity = {
  userId: '1234',
  providerName: 'Google',
  providerType: 'Google',
  issuer: null,
  primary: true,
};
const fieldsOf = ({ leftOut }: SourceRecord): string[] => leftOut.map(({ field }) => field);

describe('a user of `list-users`', () => {
  it.each([
    ['a complete user', user({}), ada, ['password']],
    ['no email address', user({ email: '' }), null, ['email', 'password']],
    [
      'only a phone number',
      user({ email: '', phone_number: '+15550100' }),
      null,
      ['email', 'phone_number', 'password'],
    ],
    [
      'an unverified address',
      user({ email_verified: 'false' }),
      { ...ada, emailVerified: false },
      ['password'],
    ],
    ['a disabled user', user({}, { Enabled: false }), { ...ada, disabledAt: ada.updatedAt }, ['password']],
    ['a username', user({}, { Username: 'ada' }), ada, ['Username', 'password']],
    ['a second factor', user({}, { MFAOptions: [{ DeliveryMedium: 'SMS' }] }), ada, ['password', 'mfa']],
    [
      'an account at a provider',
      user({ identities: JSON.stringify([identity]) }, external),
      { ...ada, identities: [{ provider: 'Google', subject: '1234' }] },
      [],
    ],
    [
      'accounts that cannot be moved',
      user({ identities: JSON.stringify([{ ...identity, providerType: 'SAML' }, {}]) }, external),
      ada,
      ['identities', 'identities'],
    ],
    ['malformed identities', user({ identities: '[' }, external), ada, ['identities']],
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
      ['password'],
    ],
    [
      'a full name',
      user({ given_name: '', family_name: '', name: 'Ada King Lovelace' }),
      { ...ada, firstName: 'Ada King', lastName: 'Lovelace' },
      ['password'],
    ],
    [
      'a name that differs',
      user({ name: 'Countess' }),
      { ...ada, metadata: { name: 'Countess' } },
      ['password'],
    ],
    ['no attributes', { Username: 'ada' }, null, ['email', 'password']],
  ])('converts %s', (_, input, customer, leftOut) => {
    const record = convertCognitoUser('users.json#1', input);
    expect(record.customer).toEqual(customer);
    expect(fieldsOf(record)).toEqual(leftOut);
  });
});

describe('a row with the columns of `get-csv-header`', () => {
  it('is converted like a user', () => {
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
    expect(fieldsOf(record)).toEqual(['password', 'mfa']);
  });
});
