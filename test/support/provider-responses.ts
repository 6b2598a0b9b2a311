import type { AppleStandIn } from './identity-providers/apple-stand-in.js';
import type { DiscordStandIn } from './identity-providers/discord-stand-in.js';
import type { GitHubStandIn } from './identity-providers/github-stand-in.js';
import type { OpenIdStandIn } from './identity-providers/open-id-stand-in.js';
import { respondWithContent, respondWithJson, respondWithRedirect } from './identity-providers/responses.js';
import type { StandInProvider } from './identity-providers/stand-in-provider.js';
import type { Responder } from './identity-providers/stand-in-server.js';

/**
 * The effect of a provider's response:
 * - `accepted`: sufficient for every purpose
 * - `no_email`: as if there were no email. A new person must enter an email. A person who has an account is not
 *   affected
 * - `no_email_now`: the same, but a new person must try again, because the provider may return the email later
 * - `rejected`, `unavailable`: the same for everyone
 */
export type ResponseEffect = 'accepted' | 'no_email' | 'no_email_now' | 'rejected' | 'unavailable';

/** A provider's response to one sign-in, and its effects. */
export interface ProviderResponse<Server> {
  name: string;
  /** Changes the stand-in's responses, which have been reset before. */
  change(server: Server): unknown;
  /** The effect on sign-ins by redirect, on linking and on reauthentication. */
  effect: ResponseEffect;
  /** The effect on reauthentication. Default: `effect`, except that no email is required. */
  onReauthentication?: ResponseEffect;
  /** The effect on native sign-ins. Undefined if they do not receive the response. */
  onNative?: ResponseEffect | 'validation_failed';
  /** The connection test's failed checks. Default: none. */
  failedChecks?: string[];
}

/** The first half of a surrogate pair. JSON can contain it, but UTF-8 cannot. */
const SURROGATE = '\ud800';

/** Values in place of a missing one. `undefined` removes the member. */
const absences: [name: string, value: unknown][] = [
  ['absent', undefined],
  ['null', null],
  ['empty', ''],
  ['of the wrong type', { a: [7] }],
];

/** Returns an object whose members all have the same value. */
const all = (names: string[], value: unknown): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, value]));

const seconds = (difference: number): number => Math.floor(Date.now() / 1_000) + difference;

const closeConnection: Responder = (response) => response.destroy();

/** Endpoint responses that replace the expected one. A slow response has the same effect as a closed connection. */
const mainFailures: [name: string, responder: Responder, isOutage: boolean][] = [
  ['status 404', respondWithJson({ message: 'Not Found' }, 404), false],
  ['JSON that is null', respondWithJson(null), false],
  ['a closed connection', closeConnection, true],
];
const failures: typeof mainFailures = [
  ...mainFailures,
  ['status 403', respondWithJson({ message: 'Resource not accessible by integration' }, 403), false],
  ['a redirect', respondWithRedirect('http://127.0.0.1:9/'), false],
  ['HTML', respondWithContent('text/html', '<p>hello'), false],
  ['status 503', respondWithJson({}, 503), true],
];

const profile = ['email', 'email_verified', 'name', 'given_name', 'family_name', 'picture', 'locale', 'hd'];

/** Token response members that no sign-in requires. */
const unusedTokenMembers = ['expires_in', 'refresh_token', 'scope', 'token_type'];

/** Subjects that do not identify a person. */
const subjects: [name: string, value: unknown][] = [
  ...absences,
  ['too long', 'x'.repeat(256)],
  ['with half of a surrogate pair', `a${SURROGATE}b`],
];

type Claim = readonly [
  name: string,
  value: () => unknown,
  effect: Partial<ProviderResponse<StandInProvider>>,
];
const accepted = { effect: 'accepted', onNative: 'accepted' } as const;
const rejected = { effect: 'rejected', onNative: 'rejected' } as const;

/** Claims that are checked when an id token is verified. */
const protocolClaims: Claim[] = [
  ['exp in the past', () => ({ exp: seconds(-300) }), rejected],
  ['exp null', () => ({ exp: null }), rejected],
  ['exp that is not a valid time', () => ({ exp: 1e18 }), { ...rejected, onNative: 'validation_failed' }],
  ['exp in a thousand years', () => ({ exp: seconds(1_000 * 31_557_600) }), accepted],
  ['iat absent', () => ({ iat: undefined }), rejected],
  ['iat in 50 s', () => ({ iat: seconds(50) }), accepted],
  // In a sign-in by redirect, the nonce already proves that the token is new.
  ['iat in five minutes', () => ({ iat: seconds(300) }), { ...accepted, onNative: 'rejected' }],
  ['nbf in 50 s', () => ({ nbf: seconds(50) }), accepted],
  ['nbf in five minutes', () => ({ nbf: seconds(300) }), rejected],
  ['auth_time absent', () => ({ auth_time: undefined }), { ...accepted, onReauthentication: 'rejected' }],
  ['auth_time null', () => ({ auth_time: null }), { ...rejected, onNative: 'accepted' }],
  ['auth_time 50 s ago', () => ({ auth_time: seconds(-50) }), accepted],
  ['auth_time in 50 s', () => ({ auth_time: seconds(50) }), accepted],
  ...[-300, 300, 1e15].map((difference): Claim => {
    const name = `auth_time ${difference} s from now`;
    return [
      name,
      () => ({ auth_time: seconds(difference) }),
      { ...accepted, onReauthentication: 'rejected' },
    ];
  }),
  ['nonce absent', () => ({ nonce: undefined }), rejected],
  ['azp null', () => ({ azp: null }), accepted],
];

export const openIdResponses: ProviderResponse<StandInProvider>[] = [
  ...absences.flatMap(([name, value]): ProviderResponse<StandInProvider>[] => [
    {
      name: `a token response whose unused members are ${name}`,
      change: (server) => (server.tokenResponse = all(unusedTokenMembers, value)),
      effect: 'accepted',
    },
    {
      name: `a token response whose access token is ${name}`,
      change: (server) => (server.tokenResponse = { access_token: value }),
      effect: 'accepted',
    },
    {
      name: `a token response whose id token is ${name}`,
      change: (server) => (server.tokenResponse = { id_token: value }),
      effect: 'rejected',
    },
    {
      name: `an id token whose claims about the person are ${name}`,
      // The userinfo response contains the claims.
      change: (server) => (server.idTokenClaims = all(profile, value)),
      effect: 'accepted',
      onNative: 'no_email',
    },
    {
      name: `an id token and a userinfo response whose claims about the person are ${name}`,
      change: (server) =>
        Object.assign(server, { idTokenClaims: all(profile, value), userinfoClaims: all(profile, value) }),
      effect: 'no_email',
      onNative: 'no_email',
    },
  ]),
  {
    name: 'a token response without an access token, and claims that require it',
    change: (server) =>
      Object.assign(server, { claimsIn: 'userinfo', tokenResponse: { access_token: undefined } }),
    effect: 'no_email',
  },
  {
    name: 'claims about the person with half of a surrogate pair',
    change: (server) => {
      const claims = { ...all(profile, `a${SURROGATE}`), email: `a${SURROGATE}@example.com` };
      Object.assign(server, { idTokenClaims: claims, userinfoClaims: claims });
    },
    effect: 'no_email',
    onNative: 'no_email',
  },
  ...subjects.map(([name, sub]) => ({
    name: `an id token whose subject is ${name}`,
    change: (server: StandInProvider) => (server.idTokenClaims = { sub }),
    ...rejected,
  })),
  ...protocolClaims.map(([name, claims, effect]) => ({
    name: `an id token with ${name}`,
    change: (server: StandInProvider) => (server.idTokenClaims = claims() as Record<string, unknown>),
    ...accepted,
    ...effect,
  })),
  ...(
    [
      ['null', null],
      ['of another person', 'other'],
      ['half of a surrogate pair', SURROGATE],
    ] as const
  ).map(([name, sub]) => ({
    name: `a userinfo response whose subject is ${name}`,
    change: (server: StandInProvider) =>
      Object.assign(server, { claimsIn: 'userinfo', userinfoClaims: { sub } }),
    effect: 'no_email' as const,
  })),
  ...failures.map(([name, responder, isOutage]) => ({
    name: `${name} from the userinfo endpoint`,
    change: (server: StandInProvider) =>
      Object.assign(server, { claimsIn: 'userinfo', overrides: { userinfo: responder } }),
    effect: isOutage ? ('no_email_now' as const) : ('no_email' as const),
  })),
  ...failures.map(([name, responder, isOutage]) => ({
    name: `${name} from the token endpoint`,
    change: (server: OpenIdStandIn) => (server.overrides = { token: responder }),
    effect: isOutage ? ('unavailable' as const) : ('rejected' as const),
    failedChecks: ['client_credentials'],
  })),
  {
    name: 'an error of the token endpoint with members of the wrong type',
    change: (server) =>
      (server.overrides = {
        token: respondWithJson({ error: 'invalid_grant', error_description: null, error_uri: 7 }, 400),
      }),
    effect: 'rejected',
  },
];

export const githubResponses: ProviderResponse<GitHubStandIn>[] = [
  ...absences.flatMap(([name, value]): ProviderResponse<GitHubStandIn>[] => [
    {
      name: `a token response whose unused members are ${name}`,
      change: (server) =>
        (server.differences = { token: { ...all(unusedTokenMembers, value), id_token: value } }),
      effect: 'accepted',
    },
    {
      name: `a user whose login, name, image and email are ${name}`,
      change: (server) =>
        (server.differences = { user: all(['login', 'name', 'avatar_url', 'email'], value) }),
      effect: 'accepted',
    },
    {
      name: `a user whose id is ${name}`,
      change: (server) => (server.differences = { user: { id: value } }),
      effect: 'rejected',
    },
    {
      name: `a list of emails whose primary email is ${name}`,
      change: (server) =>
        (server.overrides = {
          emails: respondWithJson([null, 7, { email: value, primary: true, verified: true }]),
        }),
      effect: 'no_email',
    },
  ]),
  {
    name: 'a token response without an access token',
    change: (server) => (server.differences = { token: { access_token: undefined } }),
    effect: 'rejected',
  },
  {
    name: 'a list of emails without a primary one',
    change: (server) => (server.overrides = { emails: respondWithJson([{ email: 'a@example.com' }]) }),
    effect: 'no_email',
  },
  ...failures.map(([name, responder, isOutage]) => ({
    name: `${name} from the list of emails`,
    change: (server: GitHubStandIn) => (server.overrides = { emails: responder }),
    effect: isOutage ? ('no_email_now' as const) : ('no_email' as const),
  })),
  ...mainFailures.map(([name, responder, isOutage]) => ({
    name: `${name} from the user`,
    change: (server: GitHubStandIn) => (server.overrides = { user: responder }),
    effect: isOutage ? ('unavailable' as const) : ('rejected' as const),
  })),
];

export const discordResponses: ProviderResponse<DiscordStandIn>[] = [
  ...absences.flatMap(([name, value]): ProviderResponse<DiscordStandIn>[] => [
    {
      name: `a token response whose unused members are ${name}`,
      change: (server) =>
        (server.differences = { token: { ...all(unusedTokenMembers, value), id_token: value } }),
      effect: 'accepted',
    },
    {
      name: `a user whose names, avatar and verification are ${name}`,
      change: (server) =>
        (server.differences = { user: all(['username', 'global_name', 'avatar', 'verified'], value) }),
      effect: 'accepted',
    },
    {
      name: `a user whose email is ${name}`,
      change: (server) => (server.differences = { user: { email: value } }),
      effect: 'no_email',
    },
  ]),
  ...[...subjects, ['a number', 7] as const].map(([name, id]) => ({
    name: `a user whose id is ${name}`,
    change: (server: DiscordStandIn) => (server.differences = { user: { id } }),
    effect: 'rejected' as const,
  })),
  ...mainFailures.map(([name, responder, isOutage]) => ({
    name: `${name} from the user`,
    change: (server: DiscordStandIn) => (server.overrides = { user: responder }),
    effect: isOutage ? ('unavailable' as const) : ('rejected' as const),
  })),
];

export const appleResponses: ProviderResponse<AppleStandIn>[] = [
  ...[
    ...[undefined, '', 'null', '{', '{"name":null}', '{"name":"Ada"}'],
    ...['{"name":{"firstName":null,"lastName":7}}', `{"name":{"firstName":"\\ud800"}}`],
  ].map((user) => ({
    name: `the parameter user ${user ?? 'absent'}`,
    change: (server: AppleStandIn) => (server.authorizationResponse = { user }),
    effect: 'accepted' as const,
  })),
  ...absences.map(([name, value]) => ({
    name: `an id token whose email is ${name}`,
    change: (server: AppleStandIn) => (server.idTokenClaims = { email: value }),
    effect: 'no_email' as const,
    onNative: 'no_email' as const,
  })),
  ...absences.map(([name, value]) => ({
    name: `an id token whose email_verified and is_private_email are ${name}`,
    change: (server: AppleStandIn) =>
      (server.idTokenClaims = { email_verified: value, is_private_email: value, nonce_supported: value }),
    ...accepted,
  })),
];
