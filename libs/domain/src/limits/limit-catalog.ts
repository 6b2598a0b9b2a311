/** A limit: the events that it counts, and its default quota and window. */
interface LimitEntry {
  /** Description of the counted events, for the documentation. */
  counts: string;
  quota: number;
  /** Window length in seconds. */
  window: number;
}

interface AdjustableLimitEntry extends LimitEntry {
  min: number;
  max: number;
}

const perMinute = (quota: number, counts: string, max = 1_000) => ({
  counts,
  quota,
  window: 60,
  min: 1,
  max,
});

/** A limit for a step that cannot be used to guess a password, code or token, so its maximum is higher. */
const perMinuteWithoutGuess = (quota: number, counts: string) => perMinute(quota, counts, 10_000);

/**
 * The request limits per client IP and project. The project setting `limits` overrides them, with the names in camel
 * case.
 */
export const addressLimits = {
  login: perMinute(30, 'Sign-ins with a password, and account changes that require the password'),
  register: perMinute(30, 'Registrations'),
  verify: perMinute(30, 'Email verifications, and views of the pages that email links open'),
  reset: perMinute(30, 'Password resets with an emailed link'),
  forgot: perMinute(10, 'Requests for password reset emails'),
  resend: perMinute(10, 'Requests for verification emails'),
  refresh: perMinuteWithoutGuess(120, 'Token refreshes'),
  'email-code': perMinute(10, 'Requests for emailed sign-in codes'),
  'email-code-verify': perMinute(30, 'Sign-ins with an emailed code or link'),
  challenge: perMinute(30, 'Second-factor attempts during a sign-in'),
  reauthenticate: perMinute(30, 'Reauthentications of signed-in customers'),
  passkey: perMinute(30, 'Sign-ins with a passkey, and passkey changes'),
  'passkey-options': perMinuteWithoutGuess(60, 'Requests for passkey options'),
  oauth: perMinuteWithoutGuess(60, 'Sign-ins started with an identity provider'),
  exchange: perMinuteWithoutGuess(60, 'Exchanges of a code for tokens after a redirect'),
  options: perMinuteWithoutGuess(120, 'Requests for sign-in page options'),
  'sign-in-page': perMinuteWithoutGuess(60, 'Views of the hosted sign-in page'),
} as const satisfies Record<string, AdjustableLimitEntry>;

const FAILURE_WINDOW_SECONDS = 15 * 60;

const failures = (max: number, counts: string) => ({
  counts,
  quota: 10,
  window: FAILURE_WINDOW_SECONDS,
  min: 3,
  max,
});

/**
 * The limits on failed attempts. The project setting `limits` overrides their quotas, and its `failureWindow` overrides
 * the first window of each one. Even with the maximum quotas, the number of guesses is limited: a password is blocked
 * after `MAX_PASSWORD_GUESSES` guesses (docs/adr/0035), and a six-digit code allows fewer.
 */
export const failureLimits = {
  'failed-login': failures(100, 'Failed sign-ins with a password, per email address'),
  'wrong-email-code': failures(20, 'Wrong emailed codes, per email address'),
  'failed-second-factor': failures(20, 'Wrong second-factor codes, per customer'),
} as const satisfies Record<string, AdjustableLimitEntry>;

/** The first window for failed attempts, in seconds: default and range. */
export const failureWindowRange = { fallback: FAILURE_WINDOW_SECONDS, min: 300, max: 86_400 } as const;

/** The limit on requests with a secret key. A key can have its own limit instead. */
export const secretKeyLimit = {
  counts: 'Requests with a secret key',
  quota: 100,
  window: 1,
  min: 1,
  max: 10_000,
} as const satisfies AdjustableLimitEntry;

/**
 * The limits that projects cannot change, because they count requests by operators, or requests to all projects
 * together.
 */
export const fixedLimits = {
  'oauth-callback': { counts: 'Redirects from identity providers, per client IP', quota: 120, window: 60 },
  'provider-test': { counts: 'Identity provider tests, per client IP', quota: 10, window: 60 },
  'domain-check': { counts: 'Domain checks, per client IP', quota: 30, window: 60 },
  'operator-login': { counts: 'Operator sign-ins, per client IP', quota: 30, window: 60 },
  'failed-operator-login': {
    counts: 'Failed operator sign-ins, per email address',
    quota: 10,
    window: FAILURE_WINDOW_SECONDS,
  },
} as const satisfies Record<string, LimitEntry>;

/**
 * The email limits that responses may reveal, and the members of the setting `mailLimits` that contain their quotas.
 */
export const mailLimitSettings = {
  'mail-recipient': {
    counts: 'Emails to one recipient per hour, for each purpose',
    setting: 'mailLimits.perRecipient',
  },
  'mail-project': {
    counts: 'Emails in the project per hour, for each purpose',
    setting: 'mailLimits, by purpose',
  },
} as const;

export type AddressLimit = keyof typeof addressLimits;
export type FailureLimit = keyof typeof failureLimits;

/** The limit name, as in `limit` and the `RateLimit` header of a 429 response. */
export type LimitName =
  | AddressLimit
  | FailureLimit
  | 'secret-key'
  | keyof typeof fixedLimits
  | keyof typeof mailLimitSettings;

/** All limit names that a 429 response can contain. */
export const limitNames = [
  ...Object.keys(addressLimits),
  ...Object.keys(failureLimits),
  'secret-key',
  ...Object.keys(fixedLimits),
  ...Object.keys(mailLimitSettings),
] as LimitName[];

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;

type QuotaSetting = CamelCase<AddressLimit | FailureLimit>;

/** The project setting `limits`: quotas by limit name, and `failureWindow` in seconds. */
export type ProjectLimits = Record<QuotaSetting | 'failureWindow', number>;

/** Returns a limit's name in the setting `limits`. */
export const limitSetting = <Name extends AddressLimit | FailureLimit>(name: Name) =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;

export interface LimitSetting {
  description: string;
  fallback: number;
  min: number;
  max: number;
}

/** The members of the setting `limits` with their defaults and ranges. */
export const limitSettings = {
  ...Object.fromEntries(
    Object.entries({ ...addressLimits, ...failureLimits }).map(
      ([name, { counts, quota, min, max, window }]) => [
        limitSetting(name as AddressLimit | FailureLimit),
        {
          description: window === 60 ? `${counts}, per client IP per minute` : `${counts} per window`,
          fallback: quota,
          min,
          max,
        },
      ],
    ),
  ),
  failureWindow: {
    description:
      'Length of the first window for failed attempts, in seconds. Each time consecutive failures use up the quota again, the window doubles, up to 24 hours',
    ...failureWindowRange,
  },
} as Record<keyof ProjectLimits, LimitSetting>;

/** The limits of a project that has not changed any. */
export const defaultLimits = Object.fromEntries(
  Object.entries(limitSettings).map(([setting, { fallback }]) => [setting, fallback]),
) as ProjectLimits;
