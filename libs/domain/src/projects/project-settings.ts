import type { PasswordHashing } from '../customers/password-policy.js';
import type { MfaPolicy } from '../factors/factor.js';
import { defaultLimits, type ProjectLimits } from '../limits/limit-catalog.js';
import type { PasskeySettings } from '../passkeys/relying-party.js';
import type { RefreshGrace } from '../sessions/refresh-decision.js';

/** The access token signing algorithms (RFC 7518). */
export const signingAlgorithms = ['ES256', 'RS256'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** The customer fields that can be the `sub` of access tokens. */
export const tokenSubjects = ['id', 'externalId'] as const;
export type TokenSubject = (typeof tokenSubjects)[number];

/** A project's sign-in methods, and whether customers can create accounts. */
export interface SignInSettings {
  password: boolean;
  /** True if customers can sign in with a code in an email. */
  emailCode: boolean;
  /** True if customers can sign in with only a passkey. */
  passkey: boolean;
  /** False if only secret keys, operators and imports can create customers. */
  allowSignUp: boolean;
}

/** The previous system, from which customers are migrated at their first sign-in. */
export interface LegacySignInSettings {
  /**
   * Receives the email address and the password. The secret that signs these requests is encrypted and stored
   * separately.
   */
  url: string;
}

/** The branding of a project's hosted pages and emails. */
export interface Branding {
  /** The displayed name; null for the project name. */
  displayName: string | null;
  /** https URL; null for no logo. */
  logoUrl: string | null;
  /** `#rrggbb`; null for the default color. */
  color: string | null;
}

/** The sender of a project's emails. */
export interface MailSettings {
  /** The sender name; null for the name in MAIL_FROM. */
  fromName: string | null;
  replyTo: string | null;
}

/** Maximum emails per hour. Emails to unverified addresses are counted separately. */
export interface MailLimits {
  /** Verification emails, notices about addresses that are already registered, and codes for new customers. */
  signUp: number;
  passwordReset: number;
  /** Emails that confirm a new email address. */
  emailChange: number;
  invitation: number;
  /** Codes that sign in existing customers. */
  signIn: number;
  /** Emails with one purpose to one recipient. Email addresses that differ only in a +tag are the same recipient. */
  perRecipient: number;
}

/** A project's settings (contract, section 4). Durations are in seconds. */
export interface ProjectSettings {
  /** Origins of pages that can call the API, optionally with a wildcard label; empty allows any. */
  allowedOrigins: string[];
  /**
   * URLs to which "Continue" on hosted pages and links in sign-in emails can lead. Outside the environment
   * `production`, they can contain a wildcard label.
   */
  redirectUrls: string[];
  /** The URLs of links in emails, to which `?token=` is added; null for the hosted page. */
  verifyEmailUrl: string | null;
  resetPasswordUrl: string | null;
  acceptInviteUrl: string | null;
  signIn: SignInSettings;
  /** null if there is no previous system. */
  legacySignIn: LegacySignInSettings | null;
  /**
   * A fixed email code for email addresses at reserved test domains, so that tests need not receive an email; null for
   * none. Available only in development.
   */
  testEmailCode: string | null;
  requireVerifiedEmail: boolean;
  /**
   * Prevents callers from finding out which email addresses are registered: registration always returns 202, and
   * customers can sign in only after verification.
   */
  enumerationProtection: boolean;
  accessTokenTtl: number;
  refreshIdleTtl: number;
  refreshAbsoluteTtl: number;
  refreshGrace: RefreshGrace;
  /** null disables passkeys in production, and binds them to localhost elsewhere. */
  passkeys: PasskeySettings | null;
  /** The second factor policy: customers cannot, can or must use one. */
  mfa: MfaPolicy;
  /** How many days sessions without a second factor can still be refreshed after `mfa` is set to `required`. */
  mfaGraceDays: number;
  /** Keys in `publicMetadata` and names in `profileClaims` that access tokens contain as claims. */
  accessTokenClaims: string[];
  signingAlgorithm: SigningAlgorithm;
  /** The customer field that is the `sub` of access tokens. The id is used if `externalId` is null. */
  tokenSubject: TokenSubject;
  passwordMinLength: number;
  /** The hashing method for new passwords. A stored hash with the other method is replaced at the next sign-in. */
  passwordHashing: PasswordHashing;
  /** True if new passwords are checked against a public list of breached passwords. */
  breachCheck: boolean;
  /**
   * The language of emails and hosted pages if the reader's language is not known, as a BCP 47 tag; null for English.
   */
  defaultLocale: string | null;
  branding: Branding;
  mail: MailSettings;
  mailLimits: MailLimits;
  limits: ProjectLimits;
}

/** A project's stored settings: only values that differ from the defaults. */
export type StoredSettings = Partial<
  Omit<ProjectSettings, 'signIn' | 'branding' | 'mail' | 'mailLimits' | 'limits'>
> & {
  signIn?: Partial<SignInSettings>;
  branding?: Partial<Branding>;
  mail?: Partial<MailSettings>;
  mailLimits?: Partial<MailLimits>;
  limits?: Partial<ProjectLimits>;
};

/** The settings of a project that has not changed any. */
export const defaultSettings: ProjectSettings = {
  allowedOrigins: [],
  redirectUrls: [],
  verifyEmailUrl: null,
  resetPasswordUrl: null,
  acceptInviteUrl: null,
  signIn: { password: true, emailCode: false, passkey: false, allowSignUp: true },
  legacySignIn: null,
  testEmailCode: null,
  requireVerifiedEmail: false,
  enumerationProtection: false,
  accessTokenTtl: 3600,
  refreshIdleTtl: 2_592_000,
  refreshAbsoluteTtl: 7_776_000,
  refreshGrace: 'until_used',
  passkeys: null,
  mfa: 'off',
  mfaGraceDays: 14,
  accessTokenClaims: [],
  signingAlgorithm: 'ES256',
  tokenSubject: 'id',
  passwordMinLength: 8,
  passwordHashing: 'peppered',
  breachCheck: false,
  defaultLocale: null,
  branding: { displayName: null, logoUrl: null, color: null },
  mail: { fromName: null, replyTo: null },
  mailLimits: {
    signUp: 2_000,
    passwordReset: 2_000,
    emailChange: 2_000,
    invitation: 2_000,
    signIn: 10_000,
    perRecipient: 5,
  },
  limits: defaultLimits,
};

/** Returns the effective limits: the defaults, overridden by the project's changes. */
export const effectiveLimits = (stored: Partial<ProjectLimits> | null | undefined): ProjectLimits => ({
  ...defaultLimits,
  ...stored,
});

/** Returns the effective settings: the defaults, overridden by the project's changes. */
export const effectiveSettings = (stored: StoredSettings): ProjectSettings => ({
  ...defaultSettings,
  ...stored,
  signIn: { ...defaultSettings.signIn, ...stored.signIn },
  branding: { ...defaultSettings.branding, ...stored.branding },
  mail: { ...defaultSettings.mail, ...stored.mail },
  mailLimits: { ...defaultSettings.mailLimits, ...stored.mailLimits },
  limits: effectiveLimits(stored.limits),
});
