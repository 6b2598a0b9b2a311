import { registerCustomer, type RegisteredCustomer } from '../support/customers.js';
import {
  OTHER_URL,
  SECRETS_SETTINGS,
  SignInSecrets,
  type Binding,
  type ConsumerName,
  type Context,
  type SecretKind,
  type SecretOwner,
  type SignInSecret,
} from '../support/sign-in-secrets.js';
import { createSocialProject, type SocialProject } from '../support/social-sign-in.js';
import { TestInstance } from '../support/test-instance.js';

/** The tables whose rows expire. */
const TABLES = [
  'sign_in_exchanges',
  'sign_in_flows',
  'challenges',
  'email_codes',
  'sign_in_tokens',
  'passkey_ceremonies',
];

let instance: TestInstance;
let secrets: SignInSecrets;
let otherProject: SocialProject;
/** A customer who owns no secret. */
let stranger: RegisteredCustomer;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  secrets = await SignInSecrets.prepare(instance);
  otherProject = await createSocialProject(instance, SECRETS_SETTINGS);
  stranger = await registerCustomer(instance);
});
afterAll(() => Promise.all([instance?.stop(), secrets?.stop()]));

/** Returns a context that differs in one part from that in which a secret was issued. */
const differences: Record<Binding, (context: Context, owner: SecretOwner) => Context> = {
  challenge: (context) => ({ ...context, codeVerifier: 'x'.repeat(43) }),
  url: (context) => ({ ...context, redirectUrl: OTHER_URL }),
  state: (context) => ({ ...context, state: 'another' }),
  project: (context) => ({ ...context, project: otherProject }),
  session: (context, { otherTokens }) => ({ ...context, accessToken: otherTokens.accessToken }),
  customer: (context) => ({ ...context, accessToken: stranger.tokens.accessToken }),
};

const consumerNames = (): ConsumerName[] => Object.keys(secrets.consumers) as ConsumerName[];

/** Sends the secrets of a kind to every consumer in every variation. @returns the number of cells, and the wrong ones */
async function fillRow({ owner: ownerKind, consumer: own, alternative, issue }: SecretKind) {
  const wrong: string[] = [];
  let cells = 0;
  const check = async (
    name: ConsumerName,
    variation: string,
    secret: SignInSecret,
    context = secret.context,
  ): Promise<void> => {
    const expected = name === own && variation === 'own';
    cells += 1;
    const actual = await secrets.consumers[name].accepts(secret, context);
    if (actual !== expected) wrong.push(`${name}, ${variation}: ${actual ? 'accepted' : 'rejected'}`);
  };

  const owner = await secrets.createOwner(ownerKind);
  const secret = await issue(owner);
  await Promise.all(
    consumerNames().flatMap((name) =>
      secrets.consumers[name].bindings.map((binding) =>
        check(name, `other ${binding}`, secret, differences[binding](secret.context, owner)),
      ),
    ),
  );
  const others = consumerNames().filter((name) => name !== own && name !== alternative);
  await Promise.all(others.map((name) => check(name, 'own', secret)));
  await check(own, 'own', secret);
  const checkAll = (variation: string, ended: SignInSecret) =>
    Promise.all(consumerNames().map((name) => check(name, variation, ended)));
  await checkAll('replay', secret);

  const expiring = await issue(await secrets.createOwner(ownerKind));
  for (const table of TABLES)
    await instance.sql(`UPDATE ${table} SET expires_at = now() - interval '1 millisecond'`);
  await checkAll('expired', expiring);

  const revokedOwner = await secrets.createOwner(ownerKind);
  const revoked = await issue(revokedOwner);
  await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${revokedOwner.id}/sessions`);
  await checkAll('access revoked', revoked);
  return { cells, wrong };
}

it('EX-01: each secret of a sign-in is accepted once, by one consumer, in the context in which it was issued', async () => {
  const table: Record<string, { cells: number; wrong: string[] }> = {};
  for (const [name, kind] of Object.entries(secrets.kinds)) table[name] = await fillRow(kind);
  const wrong = Object.entries(table).flatMap(([kind, row]) => row.wrong.map((cell) => `${kind}: ${cell}`));
  expect(wrong).toEqual([]);
  const cells = Object.values(table).reduce((sum, row) => sum + row.cells, 0);
  expect([Object.keys(table).length, consumerNames().length, cells]).toEqual([18, 14, 1780]);
});
