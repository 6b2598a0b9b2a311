import { defaultSettings } from './project-settings.js';
import { hasSignInMethod, type CustomerSignInMethods } from './sign-in-methods.js';

const off = { ...defaultSettings.signIn, password: false };
const all = { ...off, password: true, emailCode: true, passkey: true };
const none: CustomerSignInMethods = {
  hasPassword: false,
  passkeys: 0,
  identities: [],
  requiredProvider: null,
};
const everything = { hasPassword: true, passkeys: 1, identities: ['google'] };

it.each<[string, typeof off, Partial<CustomerSignInMethods>, boolean]>([
  ['no method', off, {}, false],
  ['a password', { ...off, password: true }, { hasPassword: true }, true],
  ['a password that the project does not accept', off, { hasPassword: true }, false],
  ['a passkey', { ...off, passkey: true }, { passkeys: 1 }, true],
  ['a passkey that the project does not accept', off, { passkeys: 1 }, false],
  ['email codes', { ...off, emailCode: true }, {}, true],
  ['an identity', off, { identities: ['google'] }, true],
  [
    'an identity at the required provider',
    off,
    { identities: ['google', 'acme'], requiredProvider: 'acme' },
    true,
  ],
  ['every method but the required provider', all, { ...everything, requiredProvider: 'acme' }, false],
])('decides whether a customer can sign in with %s', (_, signIn, methods, expected) => {
  const project = { settings: { ...defaultSettings, signIn } };
  expect(hasSignInMethod(project, { ...none, ...methods })).toBe(expected);
});
