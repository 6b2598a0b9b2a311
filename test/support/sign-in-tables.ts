import {
  expectStatus,
  NEW_PASSWORD,
  refreshSession,
  requestReset,
  submitToken,
  type Tokens,
} from './customers.js';
import { receiveEmailCode, verifyEmailCode } from './email-codes.js';
import {
  OTHER_URL,
  type Binding,
  type ConsumerName,
  type Context,
  type SecretKind,
  type SecretOwner,
  type SignInSecret,
  type SignInSecrets,
} from './sign-in-secrets.js';
import type { SocialProject } from './social-sign-in.js';
import { PASSWORD, type TestInstance, type TestResponse } from './test-instance.js';

/** A table's wrong cells, and the number of all cells. */
export interface Table {
  wrong: string[];
  cells: number;
}

/** The tables whose rows expire. */
const EXPIRING = [
  ...['sign_in_exchanges', 'sign_in_flows', 'challenges', 'email_codes', 'sign_in_tokens'],
  'passkey_ceremonies',
];

/** Credentials and objects that do not belong to a secret's owner. */
interface Strangers {
  project: SocialProject;
  accessToken: string;
}

/** Returns a context in which one part differs from a secret's context. */
const differentContext = (
  binding: Binding,
  context: Context,
  { otherTokens }: SecretOwner,
  strangers: Strangers,
): Context => {
  const differences: Record<Binding, Partial<Context>> = {
    challenge: { codeVerifier: 'x'.repeat(43) },
    url: { redirectUrl: OTHER_URL },
    state: { state: 'another' },
    project: { project: strangers.project },
    session: { accessToken: otherTokens.accessToken },
    customer: { accessToken: strangers.accessToken },
  };
  return { ...context, ...differences[binding] };
};

/**
 * Sends every kind of secret to every consumer: in its own context, in contexts that differ in one part, repeatedly,
 * after its expiry, and after access was revoked. Only the intended consumer may accept a secret, and only once.
 * @param isComplete false to vary only the requests to the intended consumer
 */
export async function checkConsumers(
  instance: TestInstance,
  secrets: SignInSecrets,
  strangers: Strangers,
  isComplete: boolean,
): Promise<Table> {
  const table: Table = { wrong: [], cells: 0 };
  for (const [name, kind] of Object.entries(secrets.kinds)) {
    const row = await checkKind(instance, secrets, kind, strangers, isComplete);
    table.wrong.push(...row.wrong.map((cell) => `${name}: ${cell}`));
    table.cells += row.cells;
  }
  return table;
}

async function checkKind(
  instance: TestInstance,
  secrets: SignInSecrets,
  { owner: ownerKind, consumer: own, alternative, issue }: SecretKind,
  strangers: Strangers,
  isComplete: boolean,
): Promise<Table> {
  const row: Table = { wrong: [], cells: 0 };
  const names = Object.keys(secrets.consumers) as ConsumerName[];
  const varied = isComplete ? names : names.filter((name) => name === own || name === alternative);
  const check = async (
    name: ConsumerName,
    variation: string,
    secret: SignInSecret,
    context = secret.context,
  ): Promise<void> => {
    row.cells += 1;
    const isAccepted = await secrets.consumers[name].accepts(secret, context);
    if (isAccepted !== (name === own && variation === 'own'))
      row.wrong.push(`${name}, ${variation}: ${isAccepted ? 'accepted' : 'rejected'}`);
  };
  const checkAll = (variation: string, secret: SignInSecret) =>
    Promise.all(varied.map((name) => check(name, variation, secret)));
  // A customer can enroll only once.
  const createNext = (owner: SecretOwner) =>
    ownerKind === 'enrollment' ? secrets.createOwner(ownerKind) : Promise.resolve(owner);

  const owner = await secrets.createOwner(ownerKind);
  const secret = await issue(owner);
  await Promise.all(
    varied.flatMap((name) =>
      secrets.consumers[name].bindings.map((binding) =>
        check(name, `other ${binding}`, secret, differentContext(binding, secret.context, owner, strangers)),
      ),
    ),
  );
  const foreign = names.filter((name) => name !== own && name !== alternative);
  await Promise.all(foreign.map((name) => check(name, 'own', secret)));
  await check(own, 'own', secret);
  await checkAll('replay', secret);

  const expired = await issue(await createNext(owner));
  for (const table of EXPIRING)
    await instance.sql(`UPDATE ${table} SET expires_at = now() - interval '1 millisecond'`);
  await checkAll('expired', expired);

  const last = await createNext(owner);
  const revoked = await issue(last);
  await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${last.id}/sessions`);
  await checkAll('access revoked', revoked);
  return row;
}

/** An event that ends a customer's access. */
interface AccessEvent {
  /** True if the session in `tokens` stays active. */
  keepsSession?: boolean;
  /** The kinds of owners to which it can happen. Default: all. */
  owners?: SecretOwner['kind'][];
  perform: (owner: SecretOwner) => Promise<TestResponse>;
}

/** Returns every event that ends a customer's access, by name. */
const accessEvents = (instance: TestInstance): Record<string, AccessEvent> => {
  const asServer = (method: string, path: string, body?: object): Promise<TestResponse> =>
    instance.requestWithSecretKey(method, `/api/v1/customers/${path}`, body);
  const asCustomer = ({ tokens }: SecretOwner, path: string, body: object) =>
    instance.requestWithAccessToken(tokens.accessToken, 'POST', `/api/v1/${path}`, body);
  return {
    'a password change': {
      // A customer with a second factor would have to verify it first.
      ...{ keepsSession: true, owners: ['plain'] },
      perform: (owner) =>
        asCustomer(owner, 'me/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
    },
    'a password reset': {
      perform: async ({ email }) =>
        submitToken(instance, 'reset-password', await requestReset(instance, email)),
    },
    'a sign-out everywhere': { perform: (owner) => asCustomer(owner, 'auth/logout', { scope: 'all' }) },
    'a sign-out of the other sessions': {
      keepsSession: true,
      perform: (owner) => asCustomer(owner, 'auth/logout', { scope: 'others' }),
    },
    'the revocation of all sessions by a server': {
      perform: ({ id }) => asServer('DELETE', `${id}/sessions`),
    },
    'disabling the customer and enabling them again': {
      perform: async ({ id }) => {
        expectStatus(200, await asServer('POST', `${id}/disable`));
        return asServer('POST', `${id}/enable`);
      },
    },
    'the deletion of the customer': { perform: ({ id }) => asServer('DELETE', id) },
    'the removal of a factor by support': {
      owners: ['factor'],
      perform: async ({ id }) => {
        const { body } = await asServer('GET', `${id}/factors`);
        return asServer('POST', `${id}/factors/${body.passkeys[0].id}/remove`, { reason: 'Ticket 4711' });
      },
    },
    'the removal of an identity by support': {
      perform: async ({ id }) => {
        const { body } = await asServer('GET', `${id}/identities`);
        const [identity] = body.data.slice(-1);
        return asServer('POST', `${id}/identities/${identity.id}/remove`, { reason: 'Ticket 4711' });
      },
    },
    'disowning by the address owner': {
      perform: async ({ email }) =>
        submitToken(instance, 'disown', await instance.getVerificationToken(email)),
    },
    'an email code that proves ownership of the unverified address': {
      perform: async ({ id, email }) => {
        // The email codes among the secrets have already verified the address.
        await instance.sql('UPDATE customers SET email_verified = false WHERE id = $1', [id]);
        return verifyEmailCode(instance, await receiveEmailCode(instance, email));
      },
    },
  };
};

/** Representative secrets: from the page, an email, a key and a factor. */
const REPRESENTATIVES = [
  ...['code after a password on the page', 'code of a link in an email', 'code that links an identity'],
  ...['sign-in token', 'challenge of the API', 'passkey response of the page'],
];

/**
 * Issues secrets to customers and triggers every event. Afterwards, no earlier secret and no earlier session may be
 * accepted.
 * @param isComplete false to check only representative secrets
 */
export async function checkEvents(
  instance: TestInstance,
  secrets: SignInSecrets,
  isComplete: boolean,
): Promise<Table> {
  const table: Table = { wrong: [], cells: 0 };
  const kinds = Object.entries(secrets.kinds).filter(
    ([name]) => isComplete || REPRESENTATIVES.includes(name),
  );
  for (const [name, event] of Object.entries(accessEvents(instance)))
    for (const ownerKind of event.owners ?? (['plain', 'factor', 'enrollment'] as const)) {
      const own = kinds.filter(([, { owner }]) => owner === ownerKind);
      if (own.length === 0) continue;
      const { remaining, cells } = await checkEvent(instance, secrets, event, ownerKind, own);
      table.wrong.push(...remaining.map((each) => `after ${name}, ${ownerKind}: ${each}`));
      table.cells += cells;
    }
  return table;
}

async function checkEvent(
  instance: TestInstance,
  secrets: SignInSecrets,
  { keepsSession, perform }: AccessEvent,
  ownerKind: SecretOwner['kind'],
  kinds: [string, SecretKind][],
): Promise<{ remaining: string[]; cells: number }> {
  const owner = await secrets.createOwner(ownerKind);
  const issued: [string, SecretKind, SignInSecret][] = [];
  // A customer can enroll only once, so only one secret is issued.
  for (const [name, kind] of ownerKind === 'enrollment' ? kinds.slice(0, 1) : kinds)
    issued.push([name, kind, await kind.issue(owner)]);
  const { status, body } = await perform(owner);
  if (status >= 300) throw new Error(`the event did not happen: ${status} ${JSON.stringify(body)}`);
  const remaining: string[] = [];
  for (const [name, { consumer }, secret] of issued)
    if (await secrets.consumers[consumer].accepts(secret, secret.context)) remaining.push(name);
  const ended = keepsSession ? [owner.otherTokens] : [owner.tokens, owner.otherTokens];
  for (const tokens of ended) remaining.push(...(await findActive(instance, tokens)));
  if (keepsSession && !(await findActive(instance, owner.tokens)).includes('access token'))
    remaining.push('not the own session');
  return { remaining, cells: issued.length + 2 * ended.length };
}

/** Returns the names of the tokens that a session still accepts. */
async function findActive(instance: TestInstance, { accessToken, refreshToken }: Tokens): Promise<string[]> {
  const me = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me');
  const refreshed = await refreshSession(instance, refreshToken);
  return [
    ...(me.status === 200 ? ['access token'] : []),
    ...(refreshed.status === 200 ? ['refresh token'] : []),
  ];
}
