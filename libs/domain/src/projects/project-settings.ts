/** What a project can set for itself (contract, section 4). Times in seconds. */
export interface ProjectSettings {
  /** Origins whose pages may call; empty means any. */
  allowedOrigins: string[];
  /** Where the hosted pages' "Continue" may lead. */
  redirectUrls: string[];
  requireVerifiedEmail: boolean;
  enumerationProtection: boolean;
  accessTokenTtl: number;
  refreshIdleTtl: number;
  refreshAbsoluteTtl: number;
  passwordMinLength: number;
}

const defaults: ProjectSettings = {
  allowedOrigins: [],
  redirectUrls: [],
  requireVerifiedEmail: false,
  enumerationProtection: false,
  accessTokenTtl: 3600,
  refreshIdleTtl: 2_592_000,
  refreshAbsoluteTtl: 7_776_000,
  passwordMinLength: 8,
};

/** The settings in force: what the project changed, over the defaults. */
export const effectiveSettings = (changed: Partial<ProjectSettings>): ProjectSettings => ({
  ...defaults,
  ...changed,
});
