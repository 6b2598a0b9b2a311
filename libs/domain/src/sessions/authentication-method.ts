/**
 * How a customer proves their identity, as the claim `amr` of an access token names it (RFC 8176): `pwd` is the
 * password, `support` a sign-in token that a secret key created.
 */
export const authenticationMethods = ['pwd', 'support'] as const;
export type AuthenticationMethod = (typeof authenticationMethods)[number];
