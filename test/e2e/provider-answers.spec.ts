import { randomUUID } from 'node:crypto';
import { AppleStandIn, createHiddenUser } from '../support/identity-providers/apple-stand-in.js';
import { createDiscordUser, DiscordStandIn } from '../support/identity-providers/discord-stand-in.js';
import { createGitHubUser, GitHubStandIn } from '../support/identity-providers/github-stand-in.js';
import { isNightly } from '../support/is-nightly.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import {
  appleResponses,
  discordResponses,
  githubResponses,
  openIdResponses,
  type ResponseEffect,
  type ProviderResponse,
} from '../support/provider-responses.js';
import {
  addProvider,
  requestAsPage,
  beginInSession,
  createSocialProject,
  openSocialSession,
  outcomeOf,
  signInAt,
  completeFlow,
  type AddedProvider,
  type SocialProject,
} from '../support/social-sign-in.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let project: SocialProject;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  project = await createSocialProject(instance);
});
afterAll(() => instance?.stop());

/** Each effect's outcomes for an unknown account and for a known one, which has signed in before. */
const outcomes: Record<ResponseEffect | 'validation_failed', { unknown: string; known: string }> = {
  accepted: { unknown: 'session', known: 'session' },
  no_email: { unknown: 'email_required', known: 'session' },
  no_email_now: { unknown: 'provider_unavailable', known: 'session' },
  rejected: { unknown: 'sign_in_failed', known: 'sign_in_failed' },
  unavailable: { unknown: 'provider_unavailable', known: 'provider_unavailable' },
  validation_failed: { unknown: 'validation_failed', known: 'validation_failed' },
};

interface StandIn {
  user: { email?: unknown };
  reset(): void;
  stop(): Promise<void>;
  addClient(options: { redirectUri: string }): { clientId: string; redirectUri: string };
}

interface Suite<Server extends StandIn> {
  type: string;
  start(): Promise<Server>;
  issuerOf(server: Server): string;
  createUser(): Server['user'];
  responses: ProviderResponse<Server>[];
  /** The provider type for whose native sign-ins the stand-in can issue ID tokens. */
  native?: {
    type: string;
    issueIdToken(server: Server, claims: { aud: string; nonce: string }): Promise<string>;
  };
  canReauthenticate?: boolean;
}

/** Checks each stand-in response on each path. */
function describeResponses<Server extends StandIn>(suite: Suite<Server>): void {
  describe(`a sign-in with a provider of type ${suite.type}`, () => {
    let server: Server;
    let provider: AddedProvider;
    let native: (AddedProvider & { clientId: string }) | null = null;
    /** An account that has signed in before, by redirect and natively. */
    let known: Server['user'];
    let accessToken: string;

    beforeAll(async () => {
      server = await suite.start();
      const issuer = suite.issuerOf(server);
      provider = await addProvider(instance, project, server, { type: suite.type, issuer });
      known = server.user = suite.createUser();
      ({
        tokens: { accessToken },
      } = await openSocialSession(instance, project, provider.slug));
      if (!suite.native) return;
      const { type } = suite.native;
      const added =
        type === suite.type ? provider : await addProvider(instance, project, server, { type, issuer });
      const path = `/api/v1/projects/${project.id}/identity-providers/${added.id}`;
      const { clientId } = (await instance.requestWithSecretKey('GET', path)).body;
      native = { ...added, clientId };
      // A sign-in would fail, because the account's email address belongs to the customer and the provider is not trusted.
      if (added !== provider) await link(added);
    });
    beforeEach(() => server.reset());
    afterAll(() => server?.stop());

    const runInSession = async (path: string, exchangePath: string): Promise<string> => {
      const flow = await beginInSession(instance, accessToken, path);
      const { code, error } = await completeFlow(flow);
      if (error !== undefined) return error;
      const body = { code, codeVerifier: flow.codeVerifier, redirectUrl: flow.redirectUrl };
      const response = await instance.requestWithAccessToken(
        accessToken,
        'POST',
        `/api/v1/me/${exchangePath}`,
        body,
      );
      return response.status < 300 ? 'session' : response.body.code;
    };
    const link = ({ slug }: AddedProvider): Promise<string> =>
      runInSession(`identities/${slug}`, 'identities/exchange');
    const reauthenticate = (): Promise<string> =>
      runInSession(`reauthenticate/oauth/${provider.slug}`, 'reauthenticate/exchange');
    const signInNatively = async (): Promise<string> => {
      // The nonce makes the tokens of two cases in the same second different.
      const nonce = randomUUID();
      const idToken = await suite.native!.issueIdToken(server, { aud: native!.clientId, nonce });
      return outcomeOf(
        await requestAsPage(instance, project, `oauth/${native!.slug}/token`, { idToken, nonce }),
      );
    };
    const testConnection = async (): Promise<string[]> => {
      const path = `/api/v1/projects/${project.id}/identity-providers/${provider.id}/test`;
      const { checks } = (await instance.requestWithSecretKey('POST', path)).body;
      return checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ name }: { name: string }) => name);
    };
    const signIn = async (): Promise<string> => outcomeOf(await signInAt(instance, project, provider.slug));

    const effectOf = ({ effect, onNative }: ProviderResponse<Server>): string => `${effect}, ${onNative}`;
    const firstResponses = new Map(
      suite.responses
        .toReversed()
        .map((providerResponse) => [effectOf(providerResponse), providerResponse] as const),
    );

    it.each(suite.responses)('handles $name', async (providerResponse) => {
      const { change, effect, onNative, onReauthentication = effect, failedChecks = [] } = providerResponse;
      // Links, reauthentications and known accounts use the code of a sign-in, so one response per effect suffices for them.
      const isComplete =
        isNightly ||
        firstResponses.get(effectOf(providerResponse)) === providerResponse ||
        onReauthentication !== effect ||
        failedChecks.length > 0;
      change(server);
      server.user = suite.createUser();
      const found: Record<string, unknown> = {
        nativeUnknown: onNative && (await signInNatively()),
      };
      server.user = suite.createUser();
      found['unknown'] = await signIn();
      server.user = known;
      const run = async (name: string, isIncluded: unknown, path: () => Promise<unknown>): Promise<void> => {
        found[name] = isIncluded ? await path() : undefined;
      };
      await Promise.all([
        run('known', isComplete, signIn),
        run('linked', isComplete, () => link(provider)),
        run('reauthentication', isComplete && suite.canReauthenticate, reauthenticate),
        run('nativeKnown', isComplete && onNative, signInNatively),
        run('failedChecks', isComplete, testConnection),
      ]);
      expect(found).toEqual({
        unknown: outcomes[effect].unknown,
        known: isComplete ? outcomes[effect].known : undefined,
        linked: isComplete ? outcomes[effect].known : undefined,
        reauthentication:
          isComplete && suite.canReauthenticate ? outcomes[onReauthentication].known : undefined,
        nativeUnknown: onNative && outcomes[onNative].unknown,
        nativeKnown: isComplete && onNative ? outcomes[onNative].known : undefined,
        failedChecks: isComplete ? failedChecks : undefined,
      });
    });
  });
}

describeResponses<StandInProvider>({
  type: 'oidc',
  start: StandInProvider.start,
  issuerOf: ({ issuer }) => issuer,
  createUser: () => createProviderUser(),
  responses: openIdResponses,
  native: { type: 'google', issueIdToken: (server, claims) => server.issueIdToken(claims) },
  canReauthenticate: true,
});
describeResponses<GitHubStandIn>({
  type: 'github',
  start: GitHubStandIn.start,
  issuerOf: ({ url }) => url,
  createUser: () => createGitHubUser(),
  responses: githubResponses,
});
describeResponses<DiscordStandIn>({
  type: 'discord',
  start: DiscordStandIn.start,
  issuerOf: ({ url }) => url,
  createUser: () => createDiscordUser(),
  responses: discordResponses,
});
describeResponses<AppleStandIn>({
  type: 'apple',
  start: AppleStandIn.start,
  issuerOf: ({ issuer }) => issuer,
  createUser: () => createHiddenUser(),
  responses: appleResponses,
  native: { type: 'apple', issueIdToken: (server, claims) => server.issueIdToken(claims) },
});
