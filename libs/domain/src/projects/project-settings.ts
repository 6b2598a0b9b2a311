/** How hosted pages and mails of a project look. */
export interface Branding {
  /** Shown instead of the project's name; null: the project's name. */
  displayName: string | null;
  /** https; null: no logo. */
  logoUrl: string | null;
  /** `#rrggbb`; null: Gatehouse's own. */
  color: string | null;
}

/** Who mails of a project come from. */
export interface MailSettings {
  /** Name of the sender; null: the one of MAIL_FROM. */
  fromName: string | null;
  replyTo: string | null;
}

/** What a project can set for itself (contract, section 4). Times in seconds. */
export interface ProjectSettings {
  /** Origins whose pages may call; empty means any. */
  allowedOrigins: string[];
  /** Where the hosted pages' "Continue" may lead. */
  redirectUrls: string[];
  /** Where the links of mails lead, with `?token=` added; null: the hosted page. */
  verifyEmailUrl: string | null;
  resetPasswordUrl: string | null;
  acceptInviteUrl: string | null;
  requireVerifiedEmail: boolean;
  /** Nobody learns who is registered: register answers 202 to everyone, and nobody logs in unverified. */
  enumerationProtection: boolean;
  accessTokenTtl: number;
  refreshIdleTtl: number;
  refreshAbsoluteTtl: number;
  /** Keys of `publicMetadata` that access tokens carry as claims of the same name. */
  accessTokenClaims: string[];
  passwordMinLength: number;
  /** Whether new passwords are looked up in a public list of breached ones. */
  breachCheck: boolean;
  branding: Branding;
  mail: MailSettings;
}

/** What a project has changed: only what differs from the defaults. */
export type StoredSettings = Partial<Omit<ProjectSettings, 'branding' | 'mail'>> & {
  branding?: Partial<Branding>;
  mail?: Partial<MailSettings>;
};

/** The settings of a project that has changed nothing. */
export const defaultSettings: ProjectSettings = {
  allowedOrigins: [],
  redirectUrls: [],
  verifyEmailUrl: null,
  resetPasswordUrl: null,
  acceptInviteUrl: null,
  requireVerifiedEmail: false,
  enumerationProtection: false,
  accessTokenTtl: 3600,
  refreshIdleTtl: 2_592_000,
  refreshAbsoluteTtl: 7_776_000,
  accessTokenClaims: [],
  passwordMinLength: 8,
  breachCheck: false,
  branding: { displayName: null, logoUrl: null, color: null },
  mail: { fromName: null, replyTo: null },
};

/** The settings in force: what the project changed, over the defaults. */
export const effectiveSettings = (stored: StoredSettings): ProjectSettings => ({
  ...defaultSettings,
  ...stored,
  branding: { ...defaultSettings.branding, ...stored.branding },
  mail: { ...defaultSettings.mail, ...stored.mail },
});
