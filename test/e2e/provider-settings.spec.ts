import { expectStatus } from '../support/customers.js';
import { AppleStandIn } from '../support/identity-providers/apple-stand-in.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import {
  addProvider,
  requestAsPage,
  beginOAuth,
  createSocialProject,
  exchange,
  openSocialSession,
  signInAt,
  completeFlow,
  type AddedProvider,
  type SocialProject,
} from '../support/social-sign-in.js';
import { TestInstance } from '../support/test-instance.js';

let standIn: StandInProvider;
let instance: TestInstance;
let project: SocialProject;
let provider: AddedProvider;
beforeAll(async () => {
  [standIn, instance] = await Promise.all([
    StandInProvider.start(),
    TestInstance.startShared({ workers: 0 }),
  ]);
});
afterAll(async () => {
  await Promise.all([standIn?.stop(), instance?.stop()]);
});
beforeEach(async () => {
  standIn.reset();
  standIn.user = createProviderUser();
  project = await createSocialProject(instance);
  provider = await addProvider(instance, project, standIn, { type: 'oidc', issuer: standIn.issuer });
});

const path = () => `/api/v1/projects/${project.id}/identity-providers/${provider.id}`;
const read = async (): Promise<Record<string, any>> =>
  expectStatus(200, await instance.requestWithSecretKey('GET', path())).body;

/** Changes the provider as an API process on an earlier version does, in the columns only. */
const changeAsEarlierVersion = (assignments: string) =>
  instance.sql(
    `UPDATE identity_providers SET ${assignments}, updated_at = greatest(now(), updated_at + interval '1 ms') WHERE id = $1`,
    [provider.id],
  );
const isStored = async (): Promise<boolean> => {
  const [row] = await instance.sql<{ isStored: boolean }>(
    `SELECT settings IS NOT NULL AND settings_updated_at = updated_at AS "isStored" FROM identity_providers WHERE id = $1`,
    [provider.id],
  );
  return row!.isStored;
};

describe("a provider's settings document, next to an API process on an earlier version", () => {
  it('takes precedence, unless an earlier version has changed the columns since', async () => {
    const before = await read();
    expect(await isStored()).toBe(true);
    await instance.sql(`UPDATE identity_providers SET client_id = 'ignored' WHERE id = $1`, [provider.id]);
    expect(await read()).toEqual(before);
    const client = standIn.addClient({ redirectUri: provider.callbackUrl });
    await instance.requestWithSecretKey('PATCH', path(), { clientSecret: client.clientSecret });
    await changeAsEarlierVersion(`client_id = '${client.clientId}', scopes = '{openid,email}'`);
    const { updatedAt: _, ...changed } = await read();
    expect(changed).toMatchObject({ clientId: client.clientId, scopes: ['openid', 'email'] });
    await openSocialSession(instance, project, provider.slug);
    expect(standIn.requestsTo('token').at(-1)!.form).toMatchObject({ client_id: client.clientId });
  });

  it('adopts, at the next change, the values that an earlier version has written', async () => {
    await changeAsEarlierVersion(`scopes = '{openid,phone}'`);
    expect(await isStored()).toBe(false);
    expectStatus(200, await instance.requestWithSecretKey('PATCH', path(), { name: 'Acme' }));
    expect(await isStored()).toBe(true);
    expect(await read()).toMatchObject({ name: 'Acme', scopes: ['openid', 'phone'], hasClientSecret: true });
    await openSocialSession(instance, project, provider.slug);
  });

  it('is created by store-provider-settings if an earlier version created the provider', async () => {
    await changeAsEarlierVersion('settings = NULL, settings_updated_at = NULL');
    const before = await read();
    await instance.api.runCommand('store-provider-settings');
    expect(await isStored()).toBe(true);
    await instance.sql(`UPDATE identity_providers SET client_id = '', client_secret = NULL WHERE id = $1`, [
      provider.id,
    ]);
    expect(await read()).toEqual(before);
    await openSocialSession(instance, project, provider.slug);
  });
});

describe("a provider's settings document, encrypted with a missing entry of GATEHOUSE_SECRET", () => {
  /** Makes these columns' values appear to be encrypted with a missing entry. Returns the previous values. */
  const makeUndecryptable = async (...columns: string[]): Promise<Record<string, Buffer>> => {
    const [stored] = await instance.sql<Record<string, Buffer>>(
      `SELECT ${columns.join(', ')} FROM identity_providers WHERE id = $1`,
      [provider.id],
    );
    const assignments = columns.map((name) => `${name} = '\\xdeadbeef' || substr(${name}, 5)`);
    await instance.sql(`UPDATE identity_providers SET ${assignments.join(', ')} WHERE id = $1`, [
      provider.id,
    ]);
    return stored!;
  };
  const storeMissing = () => instance.api.runCommand('store-provider-settings');

  it('is replaced by the values in the columns, and is stored again', async () => {
    const before = await read();
    await makeUndecryptable('settings');
    expect(await read()).toEqual(before);
    await openSocialSession(instance, project, provider.slug);
    await storeMissing();
    await makeUndecryptable('client_secret');
    await openSocialSession(instance, project, provider.slug);
    expect(await read()).toEqual(before);
  });

  it('is not stored again after a change until the values in the columns can be decrypted', async () => {
    const { client_secret: secret } = await makeUndecryptable('settings', 'client_secret');
    expect(await signInAt(instance, project, provider.slug).catch(String)).toMatch(/sign_in_failed/);
    expectStatus(200, await instance.requestWithSecretKey('PATCH', path(), { name: 'Acme' }));
    await storeMissing();
    expect([await isStored(), (await read())['hasClientSecret']]).toEqual([false, true]);
    await instance.sql('UPDATE identity_providers SET client_secret = $2 WHERE id = $1', [
      provider.id,
      secret,
    ]);
    await storeMissing();
    expect(await isStored()).toBe(true);
    await openSocialSession(instance, project, provider.slug);
  });

  it('prevents a sign-in with Apple only if the private key must sign a client secret', async () => {
    const apple = await AppleStandIn.start();
    try {
      provider = await addProvider(instance, project, apple, { type: 'apple', issuer: apple.issuer });
      await makeUndecryptable('settings', 'private_key');
      await beginOAuth(instance, project, provider.slug);
      const idToken = await apple.issueIdToken({ aud: (await read())['clientId'] });
      expectStatus(200, await requestAsPage(instance, project, `oauth/${provider.slug}/token`, { idToken }));
      expect(await signInAt(instance, project, provider.slug)).toEqual({ error: 'sign_in_failed' });
    } finally {
      await apple.stop();
    }
  });

  it('accepts new values', async () => {
    await makeUndecryptable('settings', 'client_secret');
    const { clientId, clientSecret } = standIn.addClient({ redirectUri: provider.callbackUrl });
    const client = { clientId, clientSecret };
    expectStatus(200, await instance.requestWithSecretKey('PATCH', path(), client));
    await openSocialSession(instance, project, provider.slug);
  });
});

describe('a flow with a provider, next to an API process on an earlier version', () => {
  it.each([
    ['with only the columns that the earlier version writes and reads', 'flow_state = NULL'],
    ['without the columns', `nonce = '', code_verifier = ''`],
    ['if its protocol state cannot be decrypted', `flow_state = '\\xdeadbeef' || substr(flow_state, 5)`],
  ])('finishes %s', async (_, assignment) => {
    const flow = await beginOAuth(instance, project, provider.slug);
    await instance.sql(`UPDATE oauth_flows SET ${assignment} WHERE provider_id = $1`, [provider.id]);
    const { code } = await completeFlow(flow);
    expectStatus(200, await exchange(instance, project, flow, code));
  });
});
