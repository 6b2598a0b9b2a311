import { addMethods, type AuthenticationMethod } from './authentication-method.js';

it.each<[AuthenticationMethod[], AuthenticationMethod[], AuthenticationMethod[]]>([
  [[], ['pwd'], ['pwd']],
  [['pwd'], ['pwd'], ['pwd']],
  [['pwd'], ['otp'], ['pwd', 'otp', 'mfa']],
  [['pwd', 'otp', 'mfa'], ['otp'], ['pwd', 'otp', 'mfa']],
  [['support'], ['otp'], ['support', 'otp']],
  [['support', 'otp'], ['pwd'], ['support', 'otp', 'pwd', 'mfa']],
  [[], ['hwk', 'user'], ['hwk', 'user', 'mfa']],
  [['pwd'], ['swk', 'user'], ['pwd', 'swk', 'user', 'mfa']],
])('combines %j and %j into %j', (amr, methods, expected) => {
  expect(addMethods(amr, methods)).toEqual(expected);
});
