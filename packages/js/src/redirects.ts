import type { ClientCore } from './client-core.js';
import { createVerifier, randomString } from './pkce.js';
import { addFlow, findFlow, removeFlow, type Flow } from './redirect-flows.js';
import { readRedirect } from './redirect-url.js';
import type { Identity, RedirectResult } from './types.js';

/** Options for an identity provider flow. */
export interface RedirectTarget {
  /** The identity provider's slug. */
  provider: string;
  /** The URL to return to after the flow. Must be listed in the project setting `redirectUrls`. */
  redirectUrl: string;
  /**
   * Opens a URL. Default: the browser leaves the page. An app that opens a browser itself returns the URL to which the
   * browser was redirected.
   */
  openUrl?: (url: string) => string | null | undefined | void | Promise<string | null | undefined | void>;
}

export interface SignInUrlOptions {
  /** The URL to return to after the sign-in. Must be listed in the project setting `redirectUrls`. */
  redirectUrl: string;
  screen?: 'sign_in' | 'sign_up' | 'forgot_password';
  /** Email address with which the forms are prefilled. */
  loginHint?: string;
  prompt?: 'login';
  /** Maximum age of the authentication at an identity provider, in seconds. */
  maxAge?: number;
  /** Languages in order of preference. */
  uiLocales?: string[] | string;
}

/** Signs in with an identity provider. */
export async function signIn(core: ClientCore, target: RedirectTarget): Promise<RedirectResult | null> {
  const state = randomString(core);
  const codeChallenge = await begin(core, { kind: 'sign_in', state, redirectUrl: target.redirectUrl });
  const body = { redirectUrl: target.redirectUrl, codeChallenge, state };
  const { url } = await core.post<{ url: string }>(
    `/auth/oauth/${encodeURIComponent(target.provider)}`,
    body,
  );
  return open(core, url, target);
}

/** Links an identity provider account. */
export const link = (core: ClientCore, target: RedirectTarget): Promise<RedirectResult | null> =>
  openInSession(core, 'link', `/me/identities/${encodeURIComponent(target.provider)}`, target);

/** Reauthenticates the customer with an identity provider. */
export const reauthenticate = (core: ClientCore, target: RedirectTarget): Promise<RedirectResult | null> =>
  openInSession(
    core,
    'reauthenticate',
    `/me/reauthenticate/oauth/${encodeURIComponent(target.provider)}`,
    target,
  );

async function openInSession(
  core: ClientCore,
  kind: Flow['kind'],
  path: string,
  target: RedirectTarget,
): Promise<RedirectResult | null> {
  const { redirectUrl } = target;
  // These routes accept no state: Gatehouse binds the code to the session instead.
  const codeChallenge = await begin(core, { kind, state: null, redirectUrl });
  const { url } = await core.manager.call<{ url: string }>('POST', path, { redirectUrl, codeChallenge });
  return open(core, url, target);
}

/** Returns the request body for an email with a code and a link. */
export async function emailLinkRequest(
  core: ClientCore,
  email: string,
  redirectUrl: string,
): Promise<object> {
  const codeChallenge = await begin(core, { kind: 'sign_in', state: null, redirectUrl });
  return { email, redirectUrl, codeChallenge };
}

/** Returns the hosted sign-in page's URL. @throws GatehouseError `project_id_required` */
export async function hostedPageUrl(core: ClientCore, options: SignInUrlOptions): Promise<string> {
  const { projectId } = core.options;
  if (!projectId) throw core.error('project_id_required', 'Pass the projectId option');
  const { redirectUrl, screen, loginHint, prompt, maxAge, uiLocales } = options;
  const state = randomString(core);
  const parameters: Record<string, string | number | undefined> = {
    client_id: projectId,
    redirect_url: redirectUrl,
    code_challenge: await begin(core, { kind: 'sign_in', state, redirectUrl }),
    state,
    screen,
    login_hint: loginHint,
    prompt,
    max_age: maxAge,
    ui_locales: typeof uiLocales === 'object' ? uiLocales.join(' ') : uiLocales,
  };
  const query = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `${core.transport.url}/sign-in?${query.map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join('&')}`;
}

/** Completes the flow that redirected to a URL. Returns null if this client did not start one. */
export async function handleRedirect(core: ClientCore, url: string): Promise<RedirectResult | null> {
  const redirect = readRedirect(url);
  const flow = await findFlow(core, redirect);
  if (!flow) return null;
  // Keeps the code out of the browser history and the Referer header.
  if (typeof document === 'object' && url === location.href)
    history.replaceState(history.state, '', redirect.cleanUrl);
  if (redirect.error) {
    await removeFlow(core, flow);
    throw core.error(redirect.error, 'The flow has ended with an error');
  }
  try {
    return await exchange(core, flow, redirect.code!);
  } catch (error) {
    // If there was no response, the application can pass the same URL again.
    if (core.isLost(error)) await addFlow(core, flow);
    throw error;
  }
}

async function exchange(core: ClientCore, flow: Flow, code: string): Promise<RedirectResult> {
  await removeFlow(core, flow);
  const { codeVerifier, redirectUrl, kind } = flow;
  const body = { code, codeVerifier, redirectUrl };
  if (kind === 'sign_in') return core.signIn('/auth/exchange', body);
  if (kind === 'link') {
    const identity = await core.manager.call<Identity>('POST', '/me/identities/exchange', body);
    return { status: 'linked', identity };
  }
  await core.reauthenticate('/exchange', body);
  return { status: 'reauthenticated' };
}

/** Stores a flow. Returns its code challenge. */
async function begin(core: ClientCore, flow: Pick<Flow, 'kind' | 'state' | 'redirectUrl'>): Promise<string> {
  const { codeVerifier, codeChallenge } = await createVerifier(core);
  await addFlow(core, { ...flow, codeVerifier, createdAt: core.platform.now() });
  return codeChallenge;
}

async function open(
  core: ClientCore,
  url: string,
  { openUrl }: RedirectTarget,
): Promise<RedirectResult | null> {
  if (openUrl) {
    const redirectedTo = await openUrl(url);
    return typeof redirectedTo === 'string' ? handleRedirect(core, redirectedTo) : null;
  }
  if (typeof document !== 'object') throw core.error('open_url_required', 'Pass the openUrl option');
  location.assign(url);
  return null;
}
