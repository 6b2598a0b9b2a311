import { readProfile, type ProviderClaims, type ProviderProfile } from './provider-profile.js';

const nothing = { email: null, isEmailTrusted: false, firstName: null, lastName: null, imageUrl: null };

it.each<[string, ProviderClaims, Partial<ProviderProfile> | null]>([
  ['nothing but a subject', {}, {}],
  ['no subject', { sub: undefined }, null],
  ['an empty subject', { sub: '' }, null],
  ['a number as the subject', { sub: 7 }, null],
  ['a subject of 256 characters', { sub: 'x'.repeat(256) }, null],
  ['a subject with a NUL', { sub: 'a\0' }, null],
  ['a subject with half of a surrogate pair', { sub: 'a\ud800b' }, null],
  ['a subject with a surrogate pair', { sub: '🦄' }, { subject: '🦄' }],
  ['a trusted email', { email: 'Ada@EXAMPLE.com' }, { email: 'ada@example.com', isEmailTrusted: true }],
  ['a text that is no email', { email: 'ada' }, {}],
  ['a list of emails', { email: ['ada@example.com'] }, {}],
  ['both names', { given_name: ' Ada ', family_name: 'Byron' }, { firstName: 'Ada', lastName: 'Byron' }],
  ['the family name alone', { family_name: 'Byron', name: 'Ada Byron' }, { lastName: 'Byron' }],
  ['a full name', { name: 'Ada  King Byron' }, { firstName: 'Ada', lastName: 'King Byron' }],
  ['a name with a line break', { given_name: 'Ada\r\nBcc: x' }, { firstName: 'Ada Bcc: x' }],
  ['a long name', { given_name: '🦄'.repeat(101) }, { firstName: '🦄'.repeat(100) }],
  ['an image', { picture: 'https://a.example/1.png' }, { imageUrl: 'https://a.example/1.png' }],
  ['an image over http', { picture: 'http://a.example/1.png' }, {}],
  ['a script as the image', { picture: 'javascript:alert(1)' }, {}],
  ['credentials in the image', { picture: 'https://a@a.example/' }, {}],
])('readProfile: %s', (_, claims, expected) => {
  const profile = readProfile({ sub: '1', ...claims }, true);
  expect(profile).toEqual(expected && { subject: '1', ...nothing, ...expected });
});
