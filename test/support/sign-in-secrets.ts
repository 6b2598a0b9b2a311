import { createHash, randomBytes } from 'node:crypto';
import { enrollTotp, openChallenge, resetTotpSteps } from './customer-factors.js';
import {
  expectStatus,
  openSession,
  registerCustomer,
  type RegisteredCustomer,
  type Tokens,
} from './customers.js';
import { receiveEmailCode, receiveEmailLink, readEmailCode, useEmailLink } from './email-codes.js';
import { HostedSignIn, readFormActions } from './hosted-sign-in.js';
import { createProviderUser } from './identity-providers/provider-user.js';
import { StandInProvider } from './identity-providers/stand-in-provider.js';
import { UserAgent } from './identity-providers/user-agent.js';
import { addPasskey, requestPasskey } from './passkeys.js';
import { markImported, newMigration, redirectUrl } from './sign-in-methods.js';
import {
  addProvider,
  beginInSession,
  beginOAuth,
  changeSettings,
  completeFlow,
  type AddedProvider,
  type SocialProject,
} from './social-sign-in.js';
import { SoftwareAuthenticator } from './software-authenticator.js';
import { insertKey } from './tenants.js';
import { bearerHeader, PASSWORD, type TestInstance } from './test-instance.js';
import { totpCode } from './totp.js';

/** The project's second redirect URL. */
export const OTHER_URL = 'https://app.example.com/other';

/** The settings of a project with every method and both URLs. */
export const SECRETS_SETTINGS = {
  redirectUrls: [redirectUrl, OTHER_URL],
  signIn: { emailCode: true, passkey: true },
  mfa: 'optional',
};

/** The values that are sent to a consumer together with a secret. */
export interface Context {
  project: SocialProject;
  redirectUrl: string;
  codeVerifier: string;
  state: string;
  /** The request's access token, for consumers that require a session. */
  accessToken: string;
}

/** A secret from a sign-in in progress, and the context in which it was issued. */
export interface SignInSecret {
  value: string;
  /** The flow of the hosted page to which the secret is bound. */
  flow?: string;
  /** The code from an email or an authenticator that completes the sign-in. */
  code?: string;
  context: Context;
}

/** A customer who is linked to a user at the provider, and has a second factor if the secret requires one. */
export interface SecretOwner extends RegisteredCustomer {
  kind: 'plain' | 'factor' | 'enrollment';
  /** The tokens of the customer's other session. */
  otherTokens: Tokens;
  sub: string;
  totpSecret: string;
  authenticator: SoftwareAuthenticator;
}

/** A kind of secret: its owner, the consumer that accepts it, and a function that issues it. */
export interface SecretKind {
  owner: SecretOwner['kind'];
  consumer: ConsumerName;
  /** Another consumer that completes the same step. */
  alternative?: ConsumerName;
  issue: (owner: SecretOwner) => Promise<SignInSecret>;
}

/** The parts of a context to which a consumer can bind a secret. */
export type Binding = 'challenge' | 'url' | 'state' | 'project' | 'session' | 'customer';

interface Consumer {
  bindings: Binding[];
  /** Sends a secret. @returns true if the consumer accepted it */
  accepts: (secret: SignInSecret, context: Context) => Promise<boolean>;
}

export type ConsumerName =
  | 'exchange'
  | 'link'
  | 'reauthenticate'
  | 'page: flow'
  | 'page: provider_code'
  | 'page: continue'
  | 'page: continue with code'
  | 'challenge'
  | 'page: challenge'
  | 'email code'
  | 'page: email code'
  | 'sign-in token'
  | 'passkey'
  | 'page: passkey';

const challengeOf = (codeVerifier: string): string =>
  createHash('sha256').update(codeVerifier).digest('base64url');

/** Issues the secrets of sign-ins in progress through real routes, and sends them to consumers. */
export class SignInSecrets {
  private constructor(
    private readonly instance: TestInstance,
    /** The instance's first project. */
    private readonly project: SocialProject,
    private readonly server: StandInProvider,
    private readonly provider: AddedProvider,
    /** Creates sign-in tokens. */
    private readonly supportKey: string,
  ) {}

  /** Prepares an instance's first project, and adds a provider to it. */
  static async prepare(instance: TestInstance): Promise<SignInSecrets> {
    const server = await StandInProvider.start();
    const { projectId: id, publishableKey } = instance.credentials;
    const project = { id, publishableKey };
    await changeSettings(instance, project, SECRETS_SETTINGS);
    const provider = await addProvider(instance, project, server, { type: 'oidc', issuer: server.issuer });
    const scopes = ['customer:impersonate', 'session:migrate'];
    const supportKey = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
    return new SignInSecrets(instance, project, server, provider, supportKey);
  }

  /** Stops the provider. */
  stop(): Promise<unknown> {
    return this.server.stop();
  }

  /** Creates a customer who is linked to a user at the provider. */
  async createOwner(kind: SecretOwner['kind']): Promise<SecretOwner> {
    const registered = await registerCustomer(this.instance);
    await this.instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [registered.id]);
    const { sub } = (this.server.user = createProviderUser());
    const authenticator = new SoftwareAuthenticator();
    const otherTokens = await openSession(this.instance, registered.email);
    const owner: SecretOwner = { ...registered, kind, otherTokens, sub, totpSecret: '', authenticator };
    const link = await this.issueLink(owner);
    if (!(await this.consumers.link.accepts(link, link.context)))
      throw new Error('the identity was not linked');
    if (kind === 'enrollment') {
      const path = `/api/v1/customers/${owner.id}`;
      expectStatus(200, await this.instance.requestWithSecretKey('PATCH', path, { mfa: 'required' }));
    }
    if (kind !== 'factor') return owner;
    const totpSecret = (await enrollTotp(this.instance, owner)).secret;
    expectStatus(201, await addPasskey(this.instance, owner.tokens, authenticator));
    return { ...owner, totpSecret };
  }

  readonly kinds: Record<string, SecretKind> = {
    'code after a password on the page': this.pageCode('plain', async (page, { email }) => {
      await page.submit('', { email, password: PASSWORD });
    }),
    'code after an email code on the page': this.pageCode('plain', async (page, { email }) => {
      await this.sendEmailCode(page, email);
      await page.submit('/email-code/verify', { code: await readEmailCode(this.instance, email) });
    }),
    'code after a second factor on the page': this.pageCode('factor', async (page, owner) => {
      await this.beginOnPage(page, owner);
      await page.submit('/challenge', { code: totpCode(owner.totpSecret) });
    }),
    'code after an enrollment on the page': this.pageCode('enrollment', async (page, owner) => {
      await this.enrollOnPage(page, owner);
      await page.submit('/continue', {});
    }),
    'code after a provider on the page': {
      ...{ owner: 'plain', consumer: 'exchange' },
      issue: async (owner) => {
        const page = this.newPage();
        const code = (await this.throughProvider(page, owner, redirectUrl)).get('code')!;
        return { value: code, context: this.contextOf(page, owner) };
      },
    },
    'code of a link in an email': {
      ...{ owner: 'plain', consumer: 'exchange' },
      issue: async ({ email, tokens }) => {
        const link = await receiveEmailLink(this.instance, email, redirectUrl);
        const { code } = await useEmailLink(this.instance, link);
        return { value: code, context: this.newContext(tokens.accessToken, link.codeVerifier) };
      },
    },
    'code of a provider': {
      ...{ owner: 'plain', consumer: 'exchange' },
      issue: async (owner) => {
        this.signInAtProvider(owner);
        const flow = await beginOAuth(this.instance, this.project, this.provider.slug, { redirectUrl });
        const { code } = await completeFlow(flow);
        return { value: code!, context: this.newContext(owner.tokens.accessToken, flow.codeVerifier) };
      },
    },
    'code that links an identity': {
      ...{ owner: 'plain', consumer: 'link' },
      issue: (owner) => {
        this.server.user = createProviderUser();
        return this.issueLink(owner);
      },
    },
    'code that reauthenticates with a provider': {
      ...{ owner: 'plain', consumer: 'reauthenticate' },
      issue: async (owner) => {
        this.signInAtProvider(owner);
        return this.issueInSession(owner, `reauthenticate/oauth/${this.provider.slug}`);
      },
    },
    'flow after a provider': {
      ...{ owner: 'plain', consumer: 'page: flow', alternative: 'page: continue' },
      issue: async (owner) => {
        const page = this.newPage();
        const parameters = await this.throughProvider(page, owner, (url) => url.searchParams.has('flow'));
        return { value: parameters.get('flow')!, context: this.contextOf(page, owner) };
      },
    },
    'flow after an enrollment': {
      ...{ owner: 'enrollment', consumer: 'page: continue', alternative: 'page: flow' },
      issue: async (owner) => {
        const page = this.newPage();
        await this.enrollOnPage(page, owner);
        return { value: readFlow(page), context: this.contextOf(page, owner) };
      },
    },
    'challenge of the API': {
      ...{ owner: 'factor', consumer: 'challenge' },
      issue: async (owner) => {
        const value = await openChallenge(this.instance, owner.email);
        return {
          value,
          code: await this.totpCode(owner),
          context: this.newContext(owner.tokens.accessToken),
        };
      },
    },
    'challenge of the page': {
      ...{ owner: 'factor', consumer: 'page: challenge' },
      issue: async (owner) => {
        const page = this.newPage();
        await this.beginOnPage(page, owner);
        const [, value] = /name="challenge" value="([^"]+)"/.exec(page.screen.html)!;
        const code = await this.totpCode(owner);
        return { value: value!, flow: readFlow(page), code, context: this.contextOf(page, owner) };
      },
    },
    'email code of the API': {
      ...{ owner: 'plain', consumer: 'email code' },
      issue: async ({ email, tokens }) => {
        const { token, code } = await receiveEmailCode(this.instance, email);
        return { value: token, code, context: this.newContext(tokens.accessToken) };
      },
    },
    'email code of the page': {
      ...{ owner: 'plain', consumer: 'page: email code' },
      issue: async (owner) => {
        const page = this.newPage();
        await this.sendEmailCode(page, owner.email);
        const [action] = readFormActions(page.screen.html);
        const value = new URL(action!, this.instance.baseUrl).searchParams.get('token')!;
        const code = await readEmailCode(this.instance, owner.email);
        return { value, flow: readFlow(page), code, context: this.contextOf(page, owner) };
      },
    },
    'sign-in token': this.signInToken(() => ({})),
    'migration token': this.signInToken(newMigration),
    'passkey response of the API': {
      ...{ owner: 'factor', consumer: 'passkey' },
      issue: async ({ authenticator, tokens }) => {
        const response = authenticator.get(await requestPasskey(this.instance));
        return { value: JSON.stringify(response), context: this.newContext(tokens.accessToken) };
      },
    },
    'passkey response of the page': {
      ...{ owner: 'factor', consumer: 'page: passkey' },
      issue: async (owner) => {
        const context = this.newContext(owner.tokens.accessToken);
        const page = await this.post('/passkey/options', context);
        const { options } = (await page.json()) as { options: any };
        return { value: JSON.stringify(owner.authenticator.get(options)), context };
      },
    },
  };

  readonly consumers: Record<ConsumerName, Consumer> = {
    exchange: {
      bindings: ['challenge', 'url', 'project'],
      accepts: async ({ value: code }, { project, codeVerifier, redirectUrl: url }) =>
        isAccepted(await this.send(project, 'exchange', { code, codeVerifier, redirectUrl: url })),
    },
    link: {
      bindings: ['challenge', 'url', 'session', 'customer'],
      accepts: async (secret, context) =>
        isAccepted(await this.sendToSession('identities/exchange', secret, context)),
    },
    reauthenticate: {
      bindings: ['challenge', 'url', 'session', 'customer'],
      accepts: async (secret, context) =>
        isAccepted(await this.sendToSession('reauthenticate/exchange', secret, context)),
    },
    'page: flow': this.page((context, { value }) => this.open(context, { flow: value })),
    'page: provider_code': this.page((context, { value }) => this.open(context, { provider_code: value })),
    'page: continue': this.page((context, { value }) => this.post('/continue', context, {}, { flow: value })),
    'page: continue with code': this.page((context, { value }) =>
      this.post('/continue', context, { code: value }),
    ),
    challenge: {
      bindings: ['project'],
      accepts: async ({ value: challengeToken, code = '123456' }, { project }) =>
        isAccepted(await this.send(project, 'challenge/totp', { challengeToken, code })),
    },
    'page: challenge': this.page((context, { value: challenge, flow = '', code = '123456' }) => {
      const fields = { challenge, kind: 'second_factor', methods: 'totp', method: 'totp', code };
      return this.post('/challenge', context, fields, { flow });
    }),
    'email code': {
      bindings: ['project'],
      accepts: async ({ value: token, code = '123456' }, { project }) =>
        isAccepted(await this.send(project, 'email-code/verify', { token, code })),
    },
    'page: email code': this.page((context, { value: token, flow = '', code = '123456' }) =>
      this.post('/email-code/verify', context, { code }, { token, flow }),
    ),
    'sign-in token': {
      bindings: ['project'],
      accepts: async ({ value: token }, { project }) =>
        isAccepted(await this.send(project, 'sign-in-token', { token })),
    },
    passkey: {
      bindings: ['project'],
      accepts: async ({ value }, { project }) => {
        const response = value.startsWith('{') ? (JSON.parse(value) as object) : value;
        return isAccepted(await this.send(project, 'passkey', { response }));
      },
    },
    'page: passkey': this.page((context, { value: response }) =>
      this.post('/passkey', context, { response }),
    ),
  };

  /** Returns a code from the owner's authenticator that no earlier sign-in has used. */
  private async totpCode(owner: SecretOwner): Promise<string> {
    await resetTotpSteps(this.instance, owner);
    return totpCode(owner.totpSecret);
  }

  private signInAtProvider({ sub, email }: SecretOwner): void {
    this.server.user = createProviderUser({ sub, email });
  }

  private newContext(accessToken: string, codeVerifier = randomBytes(32).toString('base64url')): Context {
    return { project: this.project, redirectUrl, codeVerifier, state: 'state', accessToken };
  }

  private newPage(): HostedSignIn {
    return new HostedSignIn(this.instance, redirectUrl);
  }

  private contextOf({ codeVerifier, state }: HostedSignIn, { tokens }: SecretOwner): Context {
    return { ...this.newContext(tokens.accessToken, codeVerifier), state };
  }

  /** Returns the kind of secret for a sign-in token from a secret key. @param fields the fields other than `reason` */
  private signInToken(fields: () => object): SecretKind {
    return {
      ...{ owner: 'plain', consumer: 'sign-in token' },
      issue: async ({ id, tokens }) => {
        await markImported(this.instance, id);
        const { body } = expectStatus(
          201,
          await this.instance.request('POST', `/api/v1/customers/${id}/sign-in-tokens`, {
            body: { reason: 'Ticket 4711', ...fields() },
            headers: bearerHeader(this.supportKey),
          }),
        );
        return { value: body.token, context: this.newContext(tokens.accessToken) };
      },
    };
  }

  /** Returns the kind of secret for the code in the redirect from the hosted page to the application. */
  private pageCode(
    owner: SecretOwner['kind'],
    signIn: (page: HostedSignIn, owner: SecretOwner) => Promise<void>,
  ): SecretKind {
    return {
      ...{ owner, consumer: 'exchange' },
      issue: async (customer) => {
        const page = this.newPage();
        await page.open();
        await signIn(page, customer);
        return { value: page.returnedCode(), context: this.contextOf(page, customer) };
      },
    };
  }

  private async beginOnPage(page: HostedSignIn, owner: SecretOwner): Promise<void> {
    if (owner.kind === 'factor') await resetTotpSteps(this.instance, owner);
    await page.open();
    await page.submit('', { email: owner.email, password: PASSWORD });
  }

  private async enrollOnPage(page: HostedSignIn, owner: SecretOwner): Promise<void> {
    await this.beginOnPage(page, owner);
    const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(page.screen.html)![1]!.replaceAll(' ', '');
    await page.submit('/challenge', { code: totpCode(secret) });
  }

  /** Requests an email code on the page, and waits for the email. */
  private async sendEmailCode(page: HostedSignIn, email: string): Promise<void> {
    const before = (await this.instance.listMails(email, 'email-code')).length;
    await page.open();
    await page.submit('/email-code', { email });
    await readEmailCode(this.instance, email, before);
  }

  private async throughProvider(
    page: HostedSignIn,
    owner: SecretOwner,
    until: string | ((url: URL) => boolean),
  ): Promise<URLSearchParams> {
    this.signInAtProvider(owner);
    const start = page.url().replace('/sign-in?', `/sign-in/provider/${this.provider.slug}?`);
    return (await new UserAgent().follow(start, { until })).url.searchParams;
  }

  private issueLink(owner: SecretOwner): Promise<SignInSecret> {
    return this.issueInSession(owner, `identities/${this.provider.slug}`);
  }

  private async issueInSession({ tokens }: SecretOwner, path: string): Promise<SignInSecret> {
    const flow = await beginInSession(this.instance, tokens.accessToken, path, redirectUrl);
    const { code } = await completeFlow(flow);
    return { value: code!, context: this.newContext(tokens.accessToken, flow.codeVerifier) };
  }

  private send({ publishableKey }: SocialProject, path: string, body: object): Promise<Response> {
    return this.sendJson(`/api/v1/auth/${path}`, { 'x-publishable-key': publishableKey }, body);
  }

  private sendToSession(
    path: string,
    { value: code }: SignInSecret,
    { accessToken, codeVerifier, redirectUrl: url }: Context,
  ): Promise<Response> {
    const body = { code, codeVerifier, redirectUrl: url };
    return this.sendJson(`/api/v1/me/${path}`, bearerHeader(accessToken), body);
  }

  /**
   * Sends a request without comparing the response with the OpenAPI document, because the comparison would take most
   * of the time for thousands of requests.
   */
  private async sendJson(path: string, headers: Record<string, string>, body: object): Promise<Response> {
    const response = await fetch(this.instance.baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return response;
  }

  /** Returns a consumer on the hosted page. The context determines the page's query. */
  private page(request: (context: Context, secret: SignInSecret) => Promise<Response>): Consumer {
    return {
      bindings: ['challenge', 'url', 'state', 'project'],
      accepts: async (secret, context) => {
        const response = await request(context, secret);
        const html = await response.text();
        const location = response.headers.get('location') ?? '';
        return (
          /[?&]code=/.test(location) || html.includes('name="challenge"') || html.includes('class="codes"')
        );
      },
    };
  }

  private pageUrl(path: string, context: Context, more: Record<string, string>): string {
    const query = new URLSearchParams({
      client_id: context.project.id,
      redirect_url: context.redirectUrl,
      code_challenge: challengeOf(context.codeVerifier),
      state: context.state,
      ...more,
    });
    return `${this.instance.baseUrl}/sign-in${path}?${query.toString()}`;
  }

  private open(context: Context, more: Record<string, string>): Promise<Response> {
    return fetch(this.pageUrl('', context, more), { redirect: 'manual' });
  }

  private post(
    path: string,
    context: Context,
    fields: Record<string, string> = {},
    more: Record<string, string> = {},
  ): Promise<Response> {
    const body = new URLSearchParams(fields);
    return fetch(this.pageUrl(path, context, more), { method: 'POST', body, redirect: 'manual' });
  }
}

const isAccepted = ({ status }: Response): boolean => status < 300;

/** Returns the flow of the first form on a screen. */
function readFlow({ screen }: HostedSignIn): string {
  const [action] = readFormActions(screen.html);
  return new URLSearchParams(action!.slice(action!.indexOf('?'))).get('flow')!;
}
