import { createHash, randomBytes } from 'node:crypto';
import { expectStatus } from './customers.js';
import { UserAgent, type Navigation } from './identity-providers/user-agent.js';
import type { TestInstance, TestResponse } from './test-instance.js';

/** The application URL to which sign-ins redirect. */
export const REDIRECT_URL = 'https://app.example.com/signed-in';

/** A project with its own publishable key, so that its settings do not affect other tests. */
export interface SocialProject {
  id: string;
  publishableKey: string;
}

/** A project's identity provider. */
export interface AddedProvider {
  id: string;
  slug: string;
  callbackUrl: string;
}

/** A server with which Gatehouse can be registered as a client. It returns provider fields. */
interface ProviderServer {
  addClient(options: { redirectUri: string }): { clientId: string; redirectUri: string };
}

const requestAsServer = (
  instance: TestInstance,
  method: string,
  path: string,
  body?: object,
): Promise<TestResponse> => instance.requestWithSecretKey(method, `/api/v1/projects${path}`, body);

/** Creates a project whose only redirect URL is REDIRECT_URL. */
export async function createSocialProject(
  instance: TestInstance,
  settings: object = {},
): Promise<SocialProject> {
  const name = `Social ${randomBytes(4).toString('hex')}`;
  const body = { name, settings: { redirectUrls: [REDIRECT_URL], ...settings } };
  const { id } = expectStatus(201, await requestAsServer(instance, 'POST', '', body)).body;
  const key = { name: 'Page', type: 'publishable' };
  const { key: publishableKey } = expectStatus(
    201,
    await requestAsServer(instance, 'POST', `/${id}/api-keys`, key),
  ).body;
  return { id, publishableKey };
}

/** Changes a project's settings. */
export async function changeSettings(
  instance: TestInstance,
  { id }: SocialProject,
  settings: object,
): Promise<void> {
  expectStatus(200, await requestAsServer(instance, 'PATCH', `/${id}`, { settings }));
}

/** Adds a provider, and registers Gatehouse with it. @param fields at least `type` and `issuer` */
export async function addProvider(
  instance: TestInstance,
  project: SocialProject,
  server: ProviderServer,
  fields: { type: string; issuer: string; [field: string]: unknown },
): Promise<AddedProvider> {
  const slug = (fields['slug'] as string | undefined) ?? `provider-${randomBytes(4).toString('hex')}`;
  const key = fields.type === 'apple' ? await placeholderKey() : {};
  const created = { clientId: 'pending', clientSecret: 'pending', enabled: false, ...key, ...fields, slug };
  if (fields.type === 'apple') delete (created as { clientSecret?: string }).clientSecret;
  const path = `/${project.id}/identity-providers`;
  const { body } = expectStatus(201, await requestAsServer(instance, 'POST', path, created));
  const { redirectUri: _, ...client } = server.addClient({ redirectUri: body.callbackUrl });
  await changeProvider(instance, project, body, { ...client, enabled: fields['enabled'] ?? true });
  return { id: body.id, slug, callbackUrl: body.callbackUrl };
}

export async function changeProvider(
  instance: TestInstance,
  project: SocialProject,
  { id }: Pick<AddedProvider, 'id'>,
  changes: object,
): Promise<void> {
  expectStatus(
    200,
    await requestAsServer(instance, 'PATCH', `/${project.id}/identity-providers/${id}`, changes),
  );
}

/** Returns valid Apple credentials as placeholders. The client's credentials replace them. */
async function placeholderKey(): Promise<object> {
  const { generateKeyPairSync } = await import('node:crypto');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { teamId: 'ABCDE12345', keyId: 'ABCDE12345', privateKey: pem };
}

/** A flow in progress. */
export interface StartedFlow {
  url: string;
  codeVerifier: string;
  redirectUrl: string;
}

const newVerifier = () => {
  const codeVerifier = randomBytes(32).toString('base64url');
  return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') };
};

/** Sends a request with a project's publishable key. */
export const requestAsPage = (
  instance: TestInstance,
  { publishableKey }: SocialProject,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<TestResponse> =>
  instance.request('POST', `/api/v1/auth/${path}`, {
    body,
    headers: { 'x-publishable-key': publishableKey, ...headers },
  });

/** Begins a sign-in. */
export async function beginOAuth(
  instance: TestInstance,
  project: SocialProject,
  slug: string,
  { redirectUrl = REDIRECT_URL, ...more }: { redirectUrl?: string; state?: string } = {},
): Promise<StartedFlow> {
  const { codeVerifier, codeChallenge } = newVerifier();
  const body = { redirectUrl, codeChallenge, ...more };
  const response = expectStatus(200, await requestAsPage(instance, project, `oauth/${slug}`, body));
  return { url: response.body.url, codeVerifier, redirectUrl };
}

/** Begins a flow in a session. @param path below `/api/v1/me`, such as `identities/google` */
export async function beginInSession(
  instance: TestInstance,
  accessToken: string,
  path: string,
  redirectUrl = REDIRECT_URL,
): Promise<StartedFlow> {
  const { codeVerifier, codeChallenge } = newVerifier();
  const body = { redirectUrl, codeChallenge };
  const response = await instance.requestWithAccessToken(accessToken, 'POST', `/api/v1/me/${path}`, body);
  return { url: expectStatus(200, response).body.url, codeVerifier, redirectUrl };
}

/** Signs in at the provider. @returns the parameters of the redirect to the application */
export async function completeFlow(
  { url, redirectUrl }: Pick<StartedFlow, 'url' | 'redirectUrl'>,
  agent = new UserAgent(),
): Promise<Record<string, string>> {
  return (await agent.follow(url, { until: redirectUrl })).parameters;
}

/** Signs in at the provider, and stops before Gatehouse's callback. @returns the request to the callback */
export const followToCallback = (
  { url }: Pick<StartedFlow, 'url'>,
  { callbackUrl }: AddedProvider,
  agent = new UserAgent(),
): Promise<Navigation> => agent.follow(url, { until: callbackUrl });

/** Exchanges a code for a session. */
export const exchange = (
  instance: TestInstance,
  project: SocialProject,
  { codeVerifier, redirectUrl }: Pick<StartedFlow, 'codeVerifier' | 'redirectUrl'>,
  code: string | undefined,
): Promise<TestResponse> => requestAsPage(instance, project, 'exchange', { code, codeVerifier, redirectUrl });

/** A sign-in result: the response to the exchange, or the redirect error. */
export type SignInResult = { error: string } | TestResponse;

/** Signs in with a provider, from the application's page to the exchange. */
export async function signInAt(
  instance: TestInstance,
  project: SocialProject,
  slug: string,
  agent = new UserAgent(),
): Promise<SignInResult> {
  const flow = await beginOAuth(instance, project, slug);
  const { code, error } = await completeFlow(flow, agent);
  return error === undefined ? exchange(instance, project, flow, code) : { error };
}

/** Signs in with a provider. @throws Error unless the sign-in ends in a session */
export async function openSocialSession(
  instance: TestInstance,
  project: SocialProject,
  slug: string,
): Promise<{ id: string; email: string; tokens: { accessToken: string; refreshToken: string } }> {
  const result = await signInAt(instance, project, slug);
  if ('error' in result) throw new Error(`the sign-in failed: ${result.error}`);
  const { customer, tokens } = expectStatus(200, result).body;
  return { id: customer.id, email: customer.email, tokens };
}

/** Returns a sign-in's outcome: `session`, the challenge kind, `unverified`, or an error code. */
export function outcomeOf(result: SignInResult): string {
  if ('error' in result) return result.error;
  const { tokens, customer, challenge, code } = result.body;
  if (tokens) return 'session';
  return challenge?.kind ?? (customer ? 'unverified' : code);
}
