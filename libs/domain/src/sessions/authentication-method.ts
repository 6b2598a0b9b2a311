/**
 * The methods with which a customer proves their identity, as in an access token's claim `amr` (RFC 8176): `pwd` is the
 * password, `email` a code or a link in an email, `fed` an identity provider, `otp` an authenticator code or a recovery
 * code, `hwk` a passkey that is bound to a device, `swk` another passkey, `user` user verification by the passkey,
 * `mfa` two factors, `support` a sign-in token that a secret key created.
 */
export const authenticationMethods = [
  'pwd',
  'email',
  'fed',
  'otp',
  'hwk',
  'swk',
  'user',
  'mfa',
  'support',
] as const;
export type AuthenticationMethod = (typeof authenticationMethods)[number];

/** The methods with which customers themselves prove their identity, here or in another system. */
export const customerMethods = authenticationMethods.filter((method) => method !== 'support');

/** A passkey proves both factors: its possession, and the PIN or the biometric trait with which it verifies the user. */
const passkeys: readonly AuthenticationMethod[] = ['hwk', 'swk'];

/** The methods that prove a second factor. */
const secondFactors: readonly AuthenticationMethod[] = ['otp', ...passkeys];

/** The methods that prove a first factor. A sign-in token proves none: a secret key created it. */
const firstFactors: readonly AuthenticationMethod[] = ['pwd', 'email', 'fed', ...passkeys];

/** Returns the methods that a passkey proves (sign-in contract, section 1). */
export const passkeyMethods = (isDeviceBound: boolean): AuthenticationMethod[] => [
  isDeviceBound ? 'hwk' : 'swk',
  'user',
];

export const isSecondFactor = (method: AuthenticationMethod): boolean => secondFactors.includes(method);

/** Returns a session's methods after another proof: `mfa` is one of them if they prove two factors. */
export function addMethods(
  amr: readonly AuthenticationMethod[],
  added: readonly AuthenticationMethod[],
): AuthenticationMethod[] {
  const methods = new Set([...amr, ...added]);
  if (firstFactors.some((each) => methods.has(each)) && secondFactors.some((each) => methods.has(each)))
    methods.add('mfa');
  return [...methods];
}
