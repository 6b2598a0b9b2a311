import {
  isProfileComplete,
  mergeUserInfo,
  readProfile,
  type ProviderClaims,
  type ProviderProfile,
} from './provider-profile.js';

const nothing = { email: null, isEmailTrusted: false, firstName: null, lastName: null, imageUrl: null };

it.each<[string, ProviderClaims, Partial<ProviderProfile> | null]>([
  ['a subject only', {}, {}],
  ['no subject', { sub: undefined }, null],
  ['an empty subject', { sub: '' }, null],
  ['a number as the subject', { sub: 7 }, null],
  ['a subject with 256 characters', { sub: 'x'.repeat(256) }, null],
  ['a subject with a NUL', { sub: 'a\0' }, null],
  ['a subject with half a surrogate pair', { sub: 'a\ud800b' }, null],
  ['a subject with a surrogate pair', { sub: '🦄' }, { subject: '🦄' }],
  ['a trusted email', { email: 'Ada@EXAMPLE.com' }, { email: 'ada@example.com', isEmailTrusted: true }],
  ['a string that is not an email address', { email: 'ada' }, {}],
  ['a list of emails', { email: ['ada@example.com'] }, {}],
  [
    'a given name and a family name',
    { given_name: ' Ada ', family_name: 'Byron' },
    { firstName: 'Ada', lastName: 'Byron' },
  ],
  ['a family name only', { family_name: 'Byron', name: 'Ada Byron' }, { lastName: 'Byron' }],
  ['a full name', { name: 'Ada  King Byron' }, { firstName: 'Ada', lastName: 'King Byron' }],
  ['a name with a line break', { given_name: 'Ada\r\nBcc: x' }, { firstName: 'Ada Bcc: x' }],
  ['a decomposed name', { given_name: 'Jose\u0301' }, { firstName: 'Jos\u00e9' }],
  ['an invisible name', { given_name: '\u202e\u200b', family_name: 'Byron' }, { lastName: 'Byron' }],
  ['a long name', { given_name: '🦄'.repeat(101) }, { firstName: '🦄'.repeat(100) }],
  ['an image', { picture: 'https://a.example/1.png' }, { imageUrl: 'https://a.example/1.png' }],
  ['an image over http', { picture: 'http://a.example/1.png' }, {}],
  ['a script as the image', { picture: 'javascript:alert(1)' }, {}],
  ['credentials in the image', { picture: 'https://a@a.example/' }, {}],
])('reads a profile with %s', (_, claims, expected) => {
  const profile = readProfile({ sub: '1', ...claims }, true);
  expect(profile).toEqual(expected && { subject: '1', ...nothing, ...expected });
});

const complete = { sub: '1', email: 'ada@example.com', name: 'Ada', picture: 'https://a.example/1.png' };

it.each<[string, ProviderClaims, boolean]>([
  ['with all claims', complete, true],
  ['with a given name only', { ...complete, name: undefined, given_name: 'Ada' }, true],
  ['without an email', { ...complete, email: null }, false],
  ['with a string that is not an email address', { ...complete, email: 'ada' }, false],
  ['without a name', { ...complete, name: 7 }, false],
  ['without an image', { ...complete, picture: '' }, false],
])('decides whether an id token %s is complete: %p', (_, claims, expected) => {
  expect(isProfileComplete(claims)).toBe(expected);
});

it.each<[string, ProviderClaims, ProviderClaims, ProviderClaims]>([
  [
    'adds missing claims',
    { sub: '1', name: null, picture: 7 },
    { name: 'Ada', picture: 'p' },
    { name: 'Ada', picture: 'p' },
  ],
  ['prefers the id token', { name: 'Ada', tid: 'a' }, { name: 'Eve', tid: 'b' }, { name: 'Ada', tid: 'a' }],
  [
    'takes the email and its verification from the id token',
    { email: 'ada@a.example' },
    { email: 'eve@a.example', email_verified: true, hd: 'a.example', xms_edov: true },
    { email: 'ada@a.example', email_verified: undefined, hd: undefined, xms_edov: undefined },
  ],
  [
    'takes the email and its verification from the userinfo endpoint',
    { email: 'ada', email_verified: true, hd: 'a.example', xms_edov: true },
    { email: 'ada@a.example', email_verified: false },
    { email: 'ada@a.example', email_verified: false, hd: undefined, xms_edov: undefined },
  ],
])('%s', (_, idToken, userInfo, expected) => {
  expect(mergeUserInfo(idToken, userInfo)).toMatchObject(expected);
});
