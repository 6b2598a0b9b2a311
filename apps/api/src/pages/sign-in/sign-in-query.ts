import {
  canonicalEmail,
  canonicalLocale,
  invalidField,
  isCodeChallenge,
  isRedirectUrlAllowed,
  redirectErrors,
  type GatehouseError,
  type ProjectContext,
  type RedirectError,
} from '@gatehouse/domain';

/** Screens that a URL can open. All others are responses to forms. */
export const signInScreens = [
  'sign_in',
  'sign_up',
  'forgot_password',
  'email_code',
  'check_inbox',
  'reset_sent',
] as const;
export type SignInScreen = (typeof signInScreens)[number];

/** Query of the hosted sign-in page. Every link and form on the page contains it. */
export interface SignInQuery {
  /** Application URL to which the sign-in redirects, with a code that only the matching verifier redeems. */
  redirectUrl: string;
  codeChallenge: string;
  state: string | null;
  screen: SignInScreen;
  /** Email address to suggest in the form, in canonical form. */
  loginHint: string | null;
  /** Language that the application has chosen, or null. */
  locale: string | null;
  /** True if an identity provider must prompt for the account again. */
  promptsLogin: boolean;
  /** Maximum age of a proof at an identity provider, in seconds. 0 with `prompt=login`; null for any age. */
  maxAge: number | null;
  /** Token of the email code that the screen `email_code` requires. */
  token: string;
  /** Secret of the flow that the page continues, or null. */
  flow: string | null;
  /** The error with which a provider has redirected to the page, or null. */
  providerError: RedirectError | null;
  /** Parameters from the application, for the links and forms on the page. */
  parameters: Record<string, string>;
}

/** Parameters that links and forms on the page preserve. */
const keptParameters = [
  'client_id',
  'redirect_url',
  'code_challenge',
  'state',
  'ui_locales',
  'prompt',
  'max_age',
  'login_hint',
];

const MAX_STATE_LENGTH = 512;
const MAX_PARAMETER_LENGTH = 2048;

/**
 * Returns a parameter, or null if it is missing.
 * @throws GatehouseError `validation_failed` if it occurs more than once or is too long
 */
function readParameter(query: Record<string, unknown>, name: string): string | null {
  const value = query[name];
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string' || value.includes('\0')) throw invalid(name, 'must occur once');
  if (value.length > MAX_PARAMETER_LENGTH) throw invalid(name, 'is too long');
  return value;
}

const invalid = (name: string, problem: string): GatehouseError =>
  invalidField(name, 'invalid', `${name} ${problem}`);

/** Returns the project id in the query, or null. */
export const readClientId = (query: Record<string, unknown>): string | null =>
  readParameter(query, 'client_id');

/**
 * Reads the page's query.
 * @throws GatehouseError `validation_failed`, with a message for the application developer
 */
export function readSignInQuery(project: ProjectContext, query: Record<string, unknown>): SignInQuery {
  const read = (name: string): string | null => readParameter(query, name);
  const method = read('code_challenge_method');
  if (method !== null && method !== 'S256') throw invalid('code_challenge_method', 'must be S256');
  const promptsLogin = readOneOf(read, 'prompt', ['login']) !== null;
  const maxAge = readMaxAge(read('max_age'));
  const kept = keptParameters.map((name) => [name, read(name)] as const);
  return {
    ...readTarget(project, read),
    screen: readOneOf(read, 'screen', signInScreens) ?? 'sign_in',
    loginHint: canonicalEmail(read('login_hint') ?? ''),
    locale: readLocale(read('ui_locales')),
    promptsLogin,
    maxAge: promptsLogin ? 0 : maxAge,
    token: read('token') ?? '',
    // An older API process redirects with `provider_code`, which cannot continue a flow.
    flow: read('flow') ?? (read('provider_code') === null ? null : ''),
    providerError: redirectErrors.find((each) => each === query['provider_error']) ?? null,
    parameters: Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== null)),
  };
}

type Read = (name: string) => string | null;

function readTarget(
  { settings }: ProjectContext,
  read: Read,
): Pick<SignInQuery, 'redirectUrl' | 'codeChallenge' | 'state'> {
  const redirectUrl = read('redirect_url');
  if (redirectUrl === null) throw invalid('redirect_url', 'is missing');
  if (!isRedirectUrlAllowed(settings, redirectUrl))
    throw invalid('redirect_url', 'must be one of the redirectUrls of the project');
  const codeChallenge = read('code_challenge');
  if (codeChallenge === null) throw invalid('code_challenge', 'is missing');
  if (!isCodeChallenge(codeChallenge))
    throw invalid('code_challenge', 'must be a SHA-256 hash in base64url: 43 characters');
  const state = read('state');
  if (state !== null && state.length > MAX_STATE_LENGTH)
    throw invalid('state', `must be at most ${MAX_STATE_LENGTH} characters`);
  return { redirectUrl, codeChallenge, state };
}

function readOneOf<Value extends string>(read: Read, name: string, values: readonly Value[]): Value | null {
  const text = read(name);
  const value = values.find((each) => each === text);
  if (text !== null && value === undefined) throw invalid(name, `must be one of ${values.join(', ')}`);
  return value ?? null;
}

/** Returns the first valid language. Invalid tags are ignored (OpenID Connect Core, section 3.1.2.1). */
const readLocale = (text: string | null): string | null =>
  (text ?? '')
    .split(' ')
    .map((tag) => canonicalLocale(tag))
    .find((tag) => tag !== null) ?? null;

function readMaxAge(text: string | null): number | null {
  if (text === null) return null;
  if (!/^\d{1,9}$/.test(text)) throw invalid('max_age', 'must be a number of seconds');
  return Number(text);
}
