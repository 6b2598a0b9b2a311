import { openSession, registerCustomer, type Tokens } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { SignInSecrets } from '../support/sign-in-secrets.js';
import { checkEvents } from '../support/sign-in-tables.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let secrets: SignInSecrets;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  secrets = await SignInSecrets.prepare(instance);
});
afterAll(() => Promise.all([instance?.stop(), secrets?.stop()]));

// The nightly specs check every kind of secret, and exchange-codes.spec.ts checks every kind with one event.
it('EX-01: an access revocation ends every earlier session, credential, code and flow', async () => {
  expect(await checkEvents(instance, secrets, false)).toEqual({ wrong: [], cells: 134 });
});

describe('EX-01: a sign-in in progress when access ends', () => {
  /** The failpoint at which the login has counted an attempt but has not checked the password. */
  const HOLD = 'password.before-hash';
  const asServer = (path: string) => instance.requestWithSecretKey('POST', `/api/v1/customers/${path}`);
  const revocations: Record<string, (id: string, tokens: Tokens) => Promise<unknown>> = {
    'a sign-out everywhere': (_, { accessToken }) =>
      instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/auth/logout', { scope: 'all' }),
    'disabling the customer, even if the customer is enabled again': async (id) => {
      await asServer(`${id}/disable`);
      await asServer(`${id}/enable`);
    },
  };

  it.each(Object.keys(revocations))('fails if access ends through %s', async (name) => {
    const { id, email, tokens } = await registerCustomer(instance);
    await instance.api.runCommand('hold', HOLD);
    try {
      const login = instance.login(email);
      await eventually('the held login', async () => (await instance.api.runCommand('held', HOLD)) === 1);
      await revocations[name]!(id, tokens);
      await instance.api.runCommand('release', HOLD);
      expect((await login).body.code).toBe('invalid_credentials');
    } finally {
      await instance.api.runCommand('release', HOLD);
    }
    expect(await openSession(instance, email)).toBeTruthy();
  });
});
