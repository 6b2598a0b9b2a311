import type { PasswordHashing } from '../customers/password-policy.js';
import type { MfaPolicy } from '../factors/factor.js';
import { defaultLimits, type ProjectLimits } from '../limits/limit-catalog.js';
import type { PasskeySettings } from '../passkeys/relying-party.js';
import type { RefreshGrace } from '../sessions/refresh-decision.js';

/** Access token algorithms (RFC 7518). */
export const signingAlgorithms = ['ES256', 'RS256'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** The customer fields that can be the `sub` in access tokens. */
export const tokenSubjects = ['id', 'externalId'] as const;
export type TokenSubject = (typeof tokenSubjects)[number];

/** The methods with which customers can sign in to a project, and whether they can create accounts. */
export interface SignInSettings {
  password: boolean;
  /** True if a code in an email signs customers in. */
  emailCode: boolean;
  /** True if a passkey alone signs customers in. */
  passkey: boolean;
  /** False if only secret keys, operators and imports create customers. */
  allowSignUp: boolean;
}

/** The system from which customers move to Gatehouse at their first sign-in. */
export interface LegacySignInSettings {
  /** Receives the email address and the password. The secret that signs the requests is stored separately, encrypted. */
  url: string;
}

/** The branding on a project's hosted pages and in its emails. */
export interface Branding {
  /** Replaces the project's name; null for the project's name. */
  displayName: string | null;
  /** https URL; null for no logo. */
  logoUrl: string | null;
  /** `#rrggbb`; null for Gatehouse's default. */
  color: string | null;
}

/** The sender for a project's emails. */
export interface MailSettings {
  /** The sender name; null for the name in MAIL_FROM. */
  fromName: string | null;
  replyTo: string | null;
}

/** Maximum emails per hour. Emails to unverified addresses are counted separately. */
export interface MailLimits {
  /** Verification emails, notices that an address is already registered, and codes for new customers. */
  signUp: number;
  /** Password reset emails. */
  passwordReset: number;
  /** Emails that confirm a new email address. */
  emailChange: number;
  /** Invitations. */
  invitation: number;
  /** Codes that sign in existing customers. */
  signIn: number;
  /** Emails with one purpose to one recipient. Email addresses that differ only by a +tag are one recipient. */
  perRecipient: number;
}

/** A project's settings (contract, section 4). Times in seconds. */
export interface ProjectSettings {
  /** Origins whose pages may call the API, also with a wildcard label; empty allows any. */
  allowedOrigins: string[];
  /**
   * URLs to which "Continue" on the hosted pages and the links in sign-in emails may lead, outside production projects
   * also with a wildcard label.
   */
  redirectUrls: string[];
  /** URLs that the links in emails open, with `?token=` added; null for the hosted page. */
  verifyEmailUrl: string | null;
  resetPasswordUrl: string | null;
  acceptInviteUrl: string | null;
  signIn: SignInSettings;
  /** null for none. */
  legacySignIn: LegacySignInSettings | null;
  /**
   * The email code for all email addresses at reserved test domains, so that tests can sign in without an email; null
   * for none. Available only in development.
   */
  testEmailCode: string | null;
  requireVerifiedEmail: boolean;
  /**
   * Prevents callers from finding out which addresses are registered: register always returns 202, and
   * customers can log in only after verification.
   */
  enumerationProtection: boolean;
  accessTokenTtl: number;
  refreshIdleTtl: number;
  refreshAbsoluteTtl: number;
  refreshGrace: RefreshGrace;
  /** The domain for the passkeys; null for none, or for localhost outside production. */
  passkeys: PasskeySettings | null;
  /** States whether customers can, or must, use a second factor. */
  mfa: MfaPolicy;
  /** Days for which sessions without a second factor can still be refreshed after `mfa` became `required`. */
  mfaGraceDays: number;
  /** Keys in `publicMetadata`, and `profileClaims`, that access tokens contain as claims with the same name. */
  accessTokenClaims: string[];
  signingAlgorithm: SigningAlgorithm;
  /** The field that is the `sub` in access tokens. The id replaces an `externalId` that is null. */
  tokenSubject: TokenSubject;
  passwordMinLength: number;
  /** The hash kind for new passwords, and for a password at a sign-in whose stored hash has the other kind. */
  passwordHashing: PasswordHashing;
  /** True if new passwords are checked against a public list of breached passwords. */
  breachCheck: boolean;
  /**
   * The language of emails and hosted pages for readers whose language is not known; null for English. A BCP 47 tag.
   */
  defaultLocale: string | null;
  branding: Branding;
  mail: MailSettings;
  mailLimits: MailLimits;
  limits: ProjectLimits;
}

/** The settings that a project has changed: only values that differ from the defaults. */
export type StoredSettings = Partial<
  Omit<ProjectSettings, 'signIn' | 'branding' | 'mail' | 'mailLimits' | 'limits'>
> & {
  signIn?: Partial<SignInSettings>;
  branding?: Partial<Branding>;
  mail?: Partial<MailSettings>;
  mailLimits?: Partial<MailLimits>;
  limits?: Partial<ProjectLimits>;
};

/** The settings in a project without changes. */
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
