import { completeChallenge, enrollTotp, openChallenge, type EnrolledCustomer } from './customer-factors.js';
import { expectStatus, type RegisteredCustomer } from './customers.js';
import {
  exchangeCode,
  receiveEmailCode,
  receiveEmailLink,
  useEmailLink,
  verifyEmailCode,
} from './email-codes.js';
import { addPasskey, requestPasskey } from './passkeys.js';
import { SoftwareAuthenticator } from './software-authenticator.js';
import { bearerHeader, type TestInstance, type TestResponse } from './test-instance.js';
import { totpCode } from './totp.js';

/** The target of the links from `signInMethods`. */
export const redirectUrl = 'https://app.example.com/welcome';

/** The settings of a project that allows every method. */
export const allMethods = {
  signIn: { emailCode: true, passkey: true },
  redirectUrls: [redirectUrl],
  mfa: 'optional',
};

/** A customer who can sign in with every method. */
export interface Owner extends EnrolledCustomer {
  authenticator: SoftwareAuthenticator;
}

/** Adds a passkey and an authenticator to a customer. */
export async function addFactors(instance: TestInstance, customer: RegisteredCustomer): Promise<Owner> {
  const authenticator = new SoftwareAuthenticator();
  const enrolled = await enrollTotp(instance, customer);
  expectStatus(201, await addPasskey(instance, customer.tokens, authenticator));
  return { ...enrolled, authenticator };
}

export type Method =
  | 'password'
  | 'emailCode'
  | 'emailLink'
  | 'passkey'
  | 'signInToken'
  | 'migrationToken'
  | 'challenge';

/** Begins a sign-in. @returns a function that completes it */
type BeginSignIn = (customer: Owner) => Promise<() => Promise<TestResponse>>;

/** Marks a customer as imported: only imported customers' sessions can move from another system. */
export const markImported = (instance: TestInstance, id: string): Promise<unknown> =>
  instance.sql('UPDATE customers SET imported = true WHERE id = $1', [id]);

/**
 * Begins a sign-in with a token.
 * @param key a key that can create the token
 * @param fields the fields other than `reason`
 */
const beginWithToken =
  (instance: TestInstance, key: string, fields: () => object): BeginSignIn =>
  async ({ id }) => {
    await markImported(instance, id);
    const { body } = await instance.request('POST', `/api/v1/customers/${id}/sign-in-tokens`, {
      body: { reason: 'Ticket 4711', ...fields() },
      headers: bearerHeader(key),
    });
    const { token } = body;
    return () => instance.requestWithPublishableKey('POST', '/api/v1/auth/sign-in-token', { token });
  };

/**
 * Returns the fields of a token that moves a session from another system. The session began just now, with a
 * password.
 */
export const newMigration = () => ({
  ...{ purpose: 'migration', amr: ['pwd'], authTime: new Date().toISOString() },
});

/** Returns every method by which a customer can sign in through the API. @param supportKey creates sign-in tokens */
export const signInMethods = (instance: TestInstance, supportKey: string): Record<Method, BeginSignIn> => ({
  password:
    async ({ email }) =>
    () =>
      instance.login(email),
  emailCode: async ({ email }) => {
    const code = await receiveEmailCode(instance, email);
    return () => verifyEmailCode(instance, code);
  },
  emailLink: async ({ email }) => {
    const exchange = await useEmailLink(instance, await receiveEmailLink(instance, email, redirectUrl));
    return () => exchangeCode(instance, exchange);
  },
  passkey: async ({ authenticator }) => {
    const response = authenticator.get(await requestPasskey(instance));
    return () => instance.requestWithPublishableKey('POST', '/api/v1/auth/passkey', { response });
  },
  signInToken: beginWithToken(instance, supportKey, () => ({})),
  migrationToken: beginWithToken(instance, supportKey, newMigration),
  challenge: async ({ email, secret }) => {
    const token = await openChallenge(instance, email);
    return () => completeChallenge(instance, token, totpCode(secret));
  },
});

/** Returns a sign-in's outcome: `session`, the challenge kind, or an error code. */
export const outcomeOf = ({ body }: TestResponse): string =>
  body.tokens ? 'session' : (body.challenge?.kind ?? body.code);
