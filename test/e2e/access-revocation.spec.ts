import {
  expectStatus,
  NEW_PASSWORD,
  openSession,
  refreshSession,
  registerCustomer,
  requestReset,
  submitToken,
  type Tokens,
} from '../support/customers.js';
import { receiveEmailCode, verifyEmailCode } from '../support/email-codes.js';
import { eventually } from '../support/eventually.js';
import { SignInSecrets, type SecretOwner, type SignInSecret } from '../support/sign-in-secrets.js';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';

let instance: TestInstance;
let secrets: SignInSecrets;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  secrets = await SignInSecrets.prepare(instance);
});
afterAll(() => Promise.all([instance?.stop(), secrets?.stop()]));

const asServer = (method: string, path: string, body?: object): Promise<TestResponse> =>
  instance.requestWithSecretKey(method, `/api/v1/customers/${path}`, body);

const asCustomer = ({ tokens }: SecretOwner, method: string, path: string, body?: object) =>
  instance.requestWithAccessToken(tokens.accessToken, method, `/api/v1/${path}`, body);

/** The point between the count of an attempt and the check of its password. */
const HOLD = 'password.before-hash';

/** An event that ends the access of a customer. */
interface AccessEvent {
  /** True if the session `tokens` of the owner stays active. */
  keepsSession?: boolean;
  /** The customers to whom it can happen; default: all. */
  owners?: SecretOwner['kind'][];
  happen: (owner: SecretOwner) => Promise<TestResponse>;
}

const events: Record<string, AccessEvent> = {
  'a change of the password': {
    // A customer with a factor must prove it first.
    ...{ keepsSession: true, owners: ['plain'] },
    happen: (owner) =>
      asCustomer(owner, 'POST', 'me/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
  },
  'a reset of the password': {
    happen: async ({ email }) => submitToken(instance, 'reset-password', await requestReset(instance, email)),
  },
  'a sign-out everywhere': {
    happen: (owner) => asCustomer(owner, 'POST', 'auth/logout', { scope: 'all' }),
  },
  'a sign-out of the other sessions': {
    keepsSession: true,
    happen: (owner) => asCustomer(owner, 'POST', 'auth/logout', { scope: 'others' }),
  },
  'the revocation of all sessions by a server': {
    happen: ({ id }) => asServer('DELETE', `${id}/sessions`),
  },
  'the disabling of the customer, who is enabled again': {
    happen: async ({ id }) => {
      expectStatus(200, await asServer('POST', `${id}/disable`));
      return asServer('POST', `${id}/enable`);
    },
  },
  'the deletion of the customer': {
    happen: ({ id }) => asServer('DELETE', id),
  },
  'the removal of a factor by support': {
    owners: ['factor'],
    happen: async ({ id }) => {
      const { body } = await asServer('GET', `${id}/factors`);
      return asServer('POST', `${id}/factors/${body.passkeys[0].id}/remove`, { reason: 'Ticket 4711' });
    },
  },
  'the removal of an identity by support': {
    happen: async ({ id }) => {
      const { body } = await asServer('GET', `${id}/identities`);
      const [identity] = body.data.slice(-1);
      return asServer('POST', `${id}/identities/${identity.id}/remove`, { reason: 'Ticket 4711' });
    },
  },
  'a disown by the owner of the address': {
    happen: async ({ email }) => submitToken(instance, 'disown', await instance.getVerificationToken(email)),
  },
  'a proof of the unverified address by an email code': {
    happen: async ({ id, email }) => {
      // Otherwise the email codes among the secrets would have proven it.
      await instance.sql('UPDATE customers SET email_verified = false WHERE id = $1', [id]);
      return verifyEmailCode(instance, await receiveEmailCode(instance, email));
    },
  },
};

/** Returns whether the tokens of a session still open it. */
async function findActive({ accessToken, refreshToken }: Tokens): Promise<string[]> {
  const me = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me');
  const refreshed = await refreshSession(instance, refreshToken);
  return [
    ...(me.status === 200 ? ['access token'] : []),
    ...(refreshed.status === 200 ? ['refresh token'] : []),
  ];
}

/** Issues every kind of secret to customers, lets an event happen to them, and returns what has not ended. */
async function findRemaining(event: AccessEvent) {
  const remaining: string[] = [];
  let cells = 0;
  for (const kind of event.owners ?? (['plain', 'factor', 'enrollment'] as const)) {
    const owner = await secrets.createOwner(kind);
    const issued: [string, SignInSecret][] = [];
    for (const [name, { owner: ownerKind, issue }] of Object.entries(secrets.kinds))
      // A customer who has enrolled a factor has no second enrollment.
      if (ownerKind === kind && (kind !== 'enrollment' || issued.length === 0))
        issued.push([name, await issue(owner)]);
    expect((await event.happen(owner)).status).toBeLessThan(300);
    for (const [name, secret] of issued)
      if (await secrets.consumers[secrets.kinds[name]!.consumer].accepts(secret, secret.context))
        remaining.push(`${kind}: ${name}`);
    const sessions = event.keepsSession ? [owner.otherTokens] : [owner.tokens, owner.otherTokens];
    for (const tokens of sessions) remaining.push(...(await findActive(tokens)));
    if (event.keepsSession) expect(await findActive(owner.tokens)).toContain('access token');
    cells += issued.length + 2 * sessions.length;
  }
  return { remaining, cells };
}

it('EX-01: ends every session, proof, code, flow and challenge from before an event that ends access', async () => {
  const table: string[] = [];
  let total = 0;
  for (const [name, event] of Object.entries(events)) {
    const { remaining, cells } = await findRemaining(event);
    table.push(...remaining.map((each) => `after ${name}: ${each}`));
    total += cells;
  }
  expect(table).toEqual([]);
  expect([Object.keys(events).length, total]).toEqual([11, 277]);
});

describe('EX-01: refuses a sign-in that is under way when access ends', () => {
  const ends: Record<string, (id: string, tokens: Tokens) => Promise<unknown>> = {
    'by a sign-out everywhere': (_, { accessToken }) =>
      instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/auth/logout', { scope: 'all' }),
    'by the disabling of the customer, who is enabled again': async (id) => {
      await asServer('POST', `${id}/disable`);
      await asServer('POST', `${id}/enable`);
    },
  };

  it.each(Object.keys(ends))('%s', async (name) => {
    const { id, email, tokens } = await registerCustomer(instance);
    await instance.api.runCommand('hold', HOLD);
    try {
      const login = instance.login(email);
      await eventually('the held login', async () => (await instance.api.runCommand('held', HOLD)) === 1);
      await ends[name]!(id, tokens);
      await instance.api.runCommand('release', HOLD);
      expect((await login).body.code).toBe('invalid_credentials');
    } finally {
      await instance.api.runCommand('release', HOLD);
    }
    expect(await openSession(instance, email)).toBeTruthy();
  });
});
