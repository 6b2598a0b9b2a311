import { randomUUID } from 'node:crypto';
import { AppleStandIn, createHiddenPerson } from '../support/identity-providers/apple-stand-in.js';
import { createDiscordPerson, DiscordStandIn } from '../support/identity-providers/discord-stand-in.js';
import { createGitHubPerson, GitHubStandIn } from '../support/identity-providers/github-stand-in.js';
import { createPerson } from '../support/identity-providers/person.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import {
  appleAnswers,
  discordAnswers,
  githubAnswers,
  openIdAnswers,
  type AnswerEffect,
  type ProviderAnswer,
} from '../support/provider-answers.js';
import {
  addProvider,
  asPage,
  beginInSession,
  createSocialProject,
  openSocialSession,
  outcomeOf,
  signInAt,
  walkThrough,
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

/** The outcomes of an effect for a new person, and for one who has signed in before or is signed in. */
const outcomes: Record<AnswerEffect | 'validation_failed', { unknown: string; known: string }> = {
  accepted: { unknown: 'session', known: 'session' },
  no_email: { unknown: 'email_required', known: 'session' },
  no_email_now: { unknown: 'provider_unavailable', known: 'session' },
  rejected: { unknown: 'sign_in_failed', known: 'sign_in_failed' },
  unavailable: { unknown: 'provider_unavailable', known: 'provider_unavailable' },
  validation_failed: { unknown: 'validation_failed', known: 'validation_failed' },
};

interface StandIn {
  person: { email?: unknown };
  reset(): void;
  stop(): Promise<void>;
  addClient(options: { redirectUri: string }): { clientId: string; redirectUri: string };
}

interface Suite<Server extends StandIn> {
  type: string;
  start(): Promise<Server>;
  issuerOf(server: Server): string;
  createPerson(): Server['person'];
  answers: ProviderAnswer<Server>[];
  /** The type of the provider whose native sign-ins the stand-in can prove. */
  native?: {
    type: string;
    issueIdToken(server: Server, claims: { aud: string; nonce: string }): Promise<string>;
  };
  canReauthenticate?: boolean;
}

/** Checks each response of a stand-in on each path. */
function describeAnswers<Server extends StandIn>(suite: Suite<Server>): void {
  describe(`the responses of a provider of the type ${suite.type}`, () => {
    let server: Server;
    let provider: AddedProvider;
    let native: (AddedProvider & { clientId: string }) | null = null;
    /** A person who has signed in before, by redirect and natively. */
    let known: Server['person'];
    let accessToken: string;

    beforeAll(async () => {
      server = await suite.start();
      const issuer = suite.issuerOf(server);
      provider = await addProvider(instance, project, server, { type: suite.type, issuer });
      known = server.person = suite.createPerson();
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
      // The email of the person belongs to the customer above, and this provider is not trusted.
      if (added !== provider) await link(added);
    });
    beforeEach(() => server.reset());
    afterAll(() => server?.stop());

    const runInSession = async (path: string, exchangePath: string): Promise<string> => {
      const flow = await beginInSession(instance, accessToken, path);
      const { code, error } = await walkThrough(flow);
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
      // Otherwise two rows of one second would use the same token.
      const nonce = randomUUID();
      const idToken = await suite.native!.issueIdToken(server, { aud: native!.clientId, nonce });
      return outcomeOf(await asPage(instance, project, `oauth/${native!.slug}/token`, { idToken, nonce }));
    };
    const testConnection = async (): Promise<string[]> => {
      const path = `/api/v1/projects/${project.id}/identity-providers/${provider.id}/test`;
      const { checks } = (await instance.requestWithSecretKey('POST', path)).body;
      return checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ name }: { name: string }) => name);
    };
    const signIn = async (): Promise<string> => outcomeOf(await signInAt(instance, project, provider.slug));

    it.each(suite.answers)('$name', async ({ change, effect, failedChecks = [], ...on }) => {
      change(server);
      server.person = suite.createPerson();
      const nativeUnknown = on.onNative && (await signInNatively());
      server.person = suite.createPerson();
      const unknown = await signIn();
      server.person = known;
      const absent = Promise.resolve(undefined);
      const paths = [
        signIn(),
        link(provider),
        suite.canReauthenticate ? reauthenticate() : absent,
        on.onNative ? signInNatively() : absent,
      ];
      const [[ofKnown, linked, reauthentication, nativeKnown], found] = await Promise.all([
        Promise.all(paths),
        testConnection(),
      ]);
      const native = on.onNative && outcomes[on.onNative];
      const { known: reauthenticated } = outcomes[on.onReauthentication ?? effect];
      expect({
        ...{ unknown, known: ofKnown, linked, reauthentication, nativeUnknown, nativeKnown },
        failedChecks: found,
      }).toEqual({
        ...outcomes[effect],
        linked: outcomes[effect].known,
        reauthentication: suite.canReauthenticate ? reauthenticated : undefined,
        nativeUnknown: native?.unknown,
        nativeKnown: native?.known,
        failedChecks,
      });
    });
  });
}

describeAnswers<StandInProvider>({
  type: 'oidc',
  start: StandInProvider.start,
  issuerOf: ({ issuer }) => issuer,
  createPerson: () => createPerson(),
  answers: openIdAnswers,
  native: { type: 'google', issueIdToken: (server, claims) => server.issueIdToken(claims) },
  canReauthenticate: true,
});
describeAnswers<GitHubStandIn>({
  type: 'github',
  start: GitHubStandIn.start,
  issuerOf: ({ url }) => url,
  createPerson: () => createGitHubPerson(),
  answers: githubAnswers,
});
describeAnswers<DiscordStandIn>({
  type: 'discord',
  start: DiscordStandIn.start,
  issuerOf: ({ url }) => url,
  createPerson: () => createDiscordPerson(),
  answers: discordAnswers,
});
describeAnswers<AppleStandIn>({
  type: 'apple',
  start: AppleStandIn.start,
  issuerOf: ({ issuer }) => issuer,
  createPerson: () => createHiddenPerson(),
  answers: appleAnswers,
  native: { type: 'apple', issueIdToken: (server, claims) => server.issueIdToken(claims) },
});
