import { completeChallenge, openChallenge } from '../support/customer-factors.js';
import {
  refreshSession,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  withSettings,
  type RegisteredCustomer,
} from '../support/customers.js';
import {
  exchangeCode,
  receiveEmailCode,
  receiveEmailLink,
  useEmailLink,
  verifyEmailCode,
} from '../support/email-codes.js';
import { setFailedSignIns } from '../support/failed-sign-ins.js';
import { signInWithPasskey } from '../support/passkeys.js';
import {
  addFactors,
  allMethods,
  outcomeOf,
  redirectUrl,
  signInMethods,
  type Method,
  type Owner,
} from '../support/sign-in-methods.js';
import { insertKey } from '../support/tenants.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';

let instance: TestInstance;
let supportKey: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  const scopes = ['customer:impersonate', 'session:migrate'];
  supportKey = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
});
afterAll(async () => instance?.stop());

const withSecretKey = (method: string, path: string, body?: object): Promise<TestResponse> =>
  instance.requestWithSecretKey(method, `/api/v1/customers/${path}`, body);

const removeFactors = async ({ id }: Owner): Promise<void> => {
  await instance.sql('DELETE FROM totp_factors WHERE customer_id = $1', [id]);
  await instance.sql('DELETE FROM passkeys WHERE customer_id = $1', [id]);
};

interface Rule {
  name: string;
  isUnverified?: boolean;
  /** Project settings that are changed before the sign-in is completed. */
  settings?: object;
  /** Changes the customer between the start and the completion of the sign-in. */
  change?: (customer: Owner) => Promise<unknown>;
  outcomes: Record<Method, string>;
}

const everyMethod = (outcome: string): Record<Method, string> => ({
  ...{ password: outcome, emailCode: outcome, emailLink: outcome, passkey: outcome },
  ...{ signInToken: outcome, migrationToken: outcome, challenge: outcome },
});
const withFactor = {
  ...everyMethod('session'),
  ...{ password: 'second_factor', emailCode: 'second_factor', emailLink: 'second_factor' },
};

const rules: Rule[] = [
  { name: 'for a customer with factors', outcomes: withFactor },
  { name: 'without second factors', settings: { mfa: 'off' }, outcomes: everyMethod('session') },
  { name: 'with a required second factor', settings: { mfa: 'required' }, outcomes: withFactor },
  {
    name: "with a second factor that the customer's own setting requires",
    settings: { mfa: 'off' },
    change: ({ id }) => withSecretKey('PATCH', id, { mfa: 'required' }),
    outcomes: withFactor,
  },
  {
    name: 'with a required second factor, for a customer without one',
    settings: { mfa: 'required' },
    change: removeFactors,
    outcomes: {
      ...{ password: 'enroll_factor', emailCode: 'enroll_factor', emailLink: 'enroll_factor' },
      ...{ passkey: 'passkey_not_accepted', signInToken: 'session', challenge: 'invalid_code' },
      migrationToken: 'session',
    },
  },
  {
    name: 'for a disabled customer',
    change: ({ id }) => withSecretKey('POST', `${id}/disable`),
    outcomes: everyMethod('customer_disabled'),
  },
  {
    name: 'for an unverified customer if a verified email is required',
    isUnverified: true,
    settings: { requireVerifiedEmail: true },
    // An email code or link also verifies the address. That removes earlier factors.
    outcomes: { ...everyMethod('email_not_verified'), emailCode: 'session', emailLink: 'session' },
  },
  {
    name: 'after ten wrong passwords',
    change: async ({ id, email }) => {
      // A known client IP would have attempts of its own.
      await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [id]);
      await setFailedSignIns(instance, email, { inWindow: 10 });
    },
    outcomes: { ...withFactor, password: 'too_many_attempts' },
  },
  {
    name: 'with disabled methods',
    settings: { signIn: { password: false, emailCode: true, passkey: false } },
    outcomes: { ...withFactor, password: 'method_not_enabled', passkey: 'method_not_enabled' },
  },
];

describe('MF-01: every sign-in', () => {
  it.each(rules)(
    'follows the rules: $name',
    async ({ isUnverified = false, settings = {}, change, outcomes }) => {
      await withSettings(instance, allMethods, async () => {
        // Each method signs in its own customer.
        const begun: [method: string, complete: () => Promise<TestResponse>][] = [];
        for (const [method, begin] of Object.entries(signInMethods(instance, supportKey))) {
          const customer = await addFactors(instance, await registerCustomer(instance));
          if (!isUnverified)
            await instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [customer.id]);
          begun.push([method, await begin(customer)]);
          await change?.(customer);
        }
        const actual: Record<string, string> = {};
        await withSettings(instance, { ...allMethods, ...settings }, async () => {
          for (const [method, complete] of begun) actual[method] = outcomeOf(await complete());
        });
        expect(actual).toEqual(outcomes);
      });
    },
  );
});

describe("FE-03: a person who registered another person's address", () => {
  /** Each function begins an address verification, and returns a function that completes it. */
  const verifications: Record<
    string,
    (customer: RegisteredCustomer) => Promise<() => Promise<TestResponse>>
  > = {
    'an email code': async ({ email }) => {
      const code = await receiveEmailCode(instance, email);
      return () => verifyEmailCode(instance, code);
    },
    'an email link': async ({ email }) => {
      const exchange = await useEmailLink(instance, await receiveEmailLink(instance, email, redirectUrl));
      return () => exchangeCode(instance, exchange);
    },
    'a password reset': async ({ email }) => {
      const token = await requestReset(instance, email);
      return () => submitToken(instance, 'reset-password', token);
    },
    'disowning the account': async ({ email }) => {
      const token = await instance.getVerificationToken(email);
      return () => submitToken(instance, 'disown', token);
    },
  };

  it.each(Object.keys(verifications))('loses all access after %s', async (verification) => {
    await withSettings(instance, allMethods, async () => {
      const { id, email, ...registered } = await registerCustomer(instance);
      const verifyAddress = await verifications[verification]!({ id, email, ...registered });
      const intruder = await addFactors(instance, { id, email, ...registered });
      const { currentToken, newToken } = await requestEmailChange(instance, intruder);
      await submitToken(instance, 'confirm-email-change', newToken);
      const challenge = await openChallenge(instance, email);
      expect(outcomeOf(await completeChallenge(instance, challenge, '000000x'))).toBe('invalid_code');

      expect((await verifyAddress()).status).toBeLessThan(300);

      const me = await instance.requestWithAccessToken(intruder.tokens.accessToken, 'GET', '/api/v1/me');
      expect(me.status).toBe(401);
      expect((await refreshSession(instance, intruder.tokens.refreshToken)).status).toBe(401);
      expect((await instance.login(email)).status).toBe(401);
      expect(outcomeOf(await signInWithPasskey(instance, intruder.authenticator))).toBe(
        'passkey_not_accepted',
      );
      expect(outcomeOf(await completeChallenge(instance, challenge, totpCode(intruder.secret)))).toBe(
        'challenge_expired',
      );
      expect((await submitToken(instance, 'confirm-email-change', currentToken)).status).toBe(400);
      expect((await withSecretKey('GET', `${id}/factors`)).body).toEqual({
        ...{ totp: [], passkeys: [], recoveryCodes: 0 },
      });
      expect(await instance.sql('SELECT FROM factor_attempts WHERE customer_id = $1', [id])).toEqual([]);
      expect((await withSecretKey('GET', id)).body).toMatchObject({ email, emailVerified: true });
    });
  });
});
