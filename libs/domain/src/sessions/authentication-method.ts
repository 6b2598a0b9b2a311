/**
 * The authentication methods, as in an access token's `amr` claim (RFC 8176): `pwd` is a password, `email` a code or
 * link in an email, `fed` an identity provider, `otp` an authenticator code or a recovery code, `hwk` a device-bound
 * passkey, `swk` any other passkey, `user` user verification by a passkey, `mfa` two factors, and `support` a sign-in
 * token that a secret key created.
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

/** The methods with which customers authenticate themselves, in Gatehouse or in another system. */
export const customerMethods = authenticationMethods.filter((method) => method !== 'support');

/**
 * A passkey counts as both factors: possession of the passkey, and the PIN or biometric trait that verifies the user.
 */
const passkeys: readonly AuthenticationMethod[] = ['hwk', 'swk'];

/** The methods that count as a second factor. */
const secondFactors: readonly AuthenticationMethod[] = ['otp', ...passkeys];

/** The methods that count as a first factor. A sign-in token does not, because a secret key created it. */
const firstFactors: readonly AuthenticationMethod[] = ['pwd', 'email', 'fed', ...passkeys];

/** Returns the methods for a passkey (sign-in contract, section 1). */
export const passkeyMethods = (isDeviceBound: boolean): AuthenticationMethod[] => [
  isDeviceBound ? 'hwk' : 'swk',
  'user',
];

export const isSecondFactor = (method: AuthenticationMethod): boolean => secondFactors.includes(method);

/** Returns a session's methods after another authentication. They include `mfa` once there are two factors. */
export function addMethods(
  amr: readonly AuthenticationMethod[],
  added: readonly AuthenticationMethod[],
): AuthenticationMethod[] {
  const methods = new Set([...amr, ...added]);
  if (firstFactors.some((each) => methods.has(each)) && secondFactors.some((each) => methods.has(each)))
    methods.add('mfa');
  return [...methods];
}
