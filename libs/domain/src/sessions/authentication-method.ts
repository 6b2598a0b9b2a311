/**
 * How a customer proves their identity, as the claim `amr` of an access token names it (RFC 8176): `pwd` is the password,
 * `email` a code in an email, `otp` the code of an authenticator or a recovery code, `mfa` two factors, `support` a sign-in token that a secret key
 * created.
 */
export const authenticationMethods = ['pwd', 'email', 'otp', 'mfa', 'support'] as const;
export type AuthenticationMethod = (typeof authenticationMethods)[number];

/** The methods that prove a second factor. */
const secondFactors: readonly AuthenticationMethod[] = ['otp'];

/** The methods that prove a first factor. A sign-in token proves none: a secret key created it. */
const firstFactors: readonly AuthenticationMethod[] = ['pwd', 'email'];

export const isSecondFactor = (method: AuthenticationMethod): boolean => secondFactors.includes(method);

/** Returns the methods of a session after another proof: `mfa` is one of them if they prove two factors. */
export function addMethod(
  amr: readonly AuthenticationMethod[],
  method: AuthenticationMethod,
): AuthenticationMethod[] {
  const methods = new Set([...amr, method]);
  if (firstFactors.some((each) => methods.has(each)) && secondFactors.some((each) => methods.has(each)))
    methods.add('mfa');
  return [...methods];
}
