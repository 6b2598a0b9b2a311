import { addMethod, type AuthenticationMethod } from './authentication-method.js';

it.each<[AuthenticationMethod[], AuthenticationMethod, AuthenticationMethod[]]>([
  [[], 'pwd', ['pwd']],
  [['pwd'], 'pwd', ['pwd']],
  [['pwd'], 'otp', ['pwd', 'otp', 'mfa']],
  [['pwd', 'otp', 'mfa'], 'otp', ['pwd', 'otp', 'mfa']],
  [['support'], 'otp', ['support', 'otp']],
  [['support', 'otp'], 'pwd', ['support', 'otp', 'pwd', 'mfa']],
])('addMethod: %j and %s are %j', (amr, method, expected) => {
  expect(addMethod(amr, method)).toEqual(expected);
});
