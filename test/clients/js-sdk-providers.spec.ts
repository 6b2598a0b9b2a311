import { createClient, type Client } from '@gatehouse/js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { UserAgent } from '../support/identity-providers/user-agent.js';
import { addProvider, createSocialProject, REDIRECT_URL } from '../support/social-sign-in.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const newClient = ({ publishableKey }: { publishableKey: string }): Client =>
  createClient({ url: instance.baseUrl, publishableKey });

it('a client signs in, links an account and reauthenticates with an identity provider', async () => {
  const provider = await OpenIdProvider.start();
  try {
    const project = await createSocialProject(instance);
    const { slug } = await addProvider(instance, project, provider, {
      type: 'oidc',
      issuer: provider.issuer,
    });
    const agent = new UserAgent();
    const target = {
      provider: slug,
      redirectUrl: REDIRECT_URL,
      openUrl: async (url: string) => {
        const { parameters } = await agent.follow(url, { until: REDIRECT_URL });
        return `${REDIRECT_URL}?${new URLSearchParams(parameters)}`;
      },
    };
    const client = newClient(project);
    provider.user = createProviderUser();
    expect(await client.signIn.social(target)).toMatchObject({
      status: 'complete',
      customer: { email: provider.user.email },
    });
    expect(await client.reauthenticate.social(target)).toEqual({ status: 'reauthenticated' });

    const owner = newClient(project);
    await owner.signUp({ email: uniqueEmail(), password: PASSWORD });
    provider.user = createProviderUser();
    provider.endSessions();
    expect(await owner.identities.link(target)).toMatchObject({
      status: 'linked',
      identity: { provider: slug },
    });
    const [identity] = await owner.identities.list();
    await owner.identities.unlink(identity!.id);
    expect(await owner.identities.list()).toEqual([]);

    provider.isDenied = true;
    provider.endSessions();
    await expect(client.signIn.social(target)).rejects.toMatchObject({ code: 'access_denied' });
    // The client ignores a redirect whose state it did not create.
    expect(await client.handleRedirect(`${REDIRECT_URL}?code=abc&state=planted`)).toBeNull();
  } finally {
    await provider.stop();
  }
});

it('a client signs in with the ID token of a native sign-in', async () => {
  const provider = await StandInProvider.start();
  try {
    const project = await createSocialProject(instance);
    const { slug } = await addProvider(instance, project, provider, {
      type: 'google',
      issuer: provider.issuer,
      clientIds: ['ios.example'],
    });
    provider.user = createProviderUser();
    const client = newClient(project);
    const idToken = await provider.issueIdToken({ aud: 'ios.example', nonce: 'n-1' });
    await expect(client.signIn.idToken({ provider: slug, idToken, nonce: 'n-2' })).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
    const other = await provider.issueIdToken({ aud: 'ios.example', nonce: 'n-3' });
    expect(await client.signIn.idToken({ provider: slug, idToken: other, nonce: 'n-3' })).toMatchObject({
      status: 'complete',
      customer: { email: provider.user.email },
    });
    expect((await client.customer.get()).email).toBe(provider.user.email);
  } finally {
    await provider.stop();
  }
});
