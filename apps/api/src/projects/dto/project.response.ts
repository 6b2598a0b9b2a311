import { ApiProperty } from '@nestjs/swagger';
import {
  environments,
  passwordHashings,
  signingAlgorithms,
  tokenSubjects,
  type Branding,
  type LegacySignInSettings,
  mfaPolicies,
  type MailSettings,
  type MfaPolicy,
  type PasswordHashing,
  type PasskeySettings,
  type Project,
  type ProjectSettings,
  type RefreshGrace,
  type AccessScope,
  type SigningAlgorithm,
  type TokenSubject,
  type SignInSettings,
} from '@gatehouse/domain';
import { domainSchema, slugSchema, targetUrlSchema, urlSchema } from '../../http/input/text-schemas.js';
import { LimitsResponse } from './limits.response.js';
import { MailLimitsResponse } from './mail-limits.response.js';

const nullableText = { type: String, nullable: true };
const urlList = { type: 'array', items: { type: 'string', ...urlSchema } } as const;
const nullableUrl = { ...nullableText, ...urlSchema };

export class SignInSettingsResponse implements SignInSettings {
  @ApiProperty({ default: true, description: 'Customers can sign in with a password' }) password!: boolean;
  @ApiProperty({
    default: false,
    description: 'Customers can sign in with a code that they receive by email',
  })
  emailCode!: boolean;
  @ApiProperty({ default: false, description: 'Customers can sign in with a passkey alone' })
  passkey!: boolean;
  @ApiProperty({ default: true, description: 'Customers can create accounts' }) allowSignUp!: boolean;
}

export class LegacySignInResponse implements LegacySignInSettings {
  @ApiProperty({
    ...targetUrlSchema,
    description: 'URL that receives the email address and the password. The secret is never returned',
    example: 'https://old.example.com/gatehouse/sign-in',
  })
  url!: string;
}

export class BrandingResponse implements Branding {
  @ApiProperty(nullableText) displayName!: string | null;
  @ApiProperty(nullableUrl) logoUrl!: string | null;
  @ApiProperty({ ...nullableText, example: '#1d4ed8' }) color!: string | null;
}

export class MailSettingsResponse implements MailSettings {
  @ApiProperty(nullableText) fromName!: string | null;
  @ApiProperty({ ...nullableText, format: 'email' }) replyTo!: string | null;
}

export class PasskeySettingsResponse implements PasskeySettings {
  @ApiProperty({ ...domainSchema, description: 'Domain to which passkeys are bound', example: 'example.com' })
  rpId!: string;
  @ApiProperty({
    ...nullableText,
    description: 'Name that browsers show. Null means the name of the project',
  })
  rpName!: string | null;
  @ApiProperty({
    type: [String],
    description: 'Origins of pages and Android apps that may use the passkeys',
    example: ['https://app.example.com'],
  })
  origins!: string[];

  static from({ rpId, rpName, origins }: PasskeySettings): PasskeySettingsResponse {
    return { rpId, rpName, origins };
  }
}

/**
 * The effective settings: those that the project has changed, and the defaults for all others. Times are in seconds.
 */
export class ProjectSettingsResponse implements ProjectSettings {
  @ApiProperty({
    ...urlList,
    description:
      'Origins whose pages may send requests. An empty list allows any origin. `*` stands for one label',
    example: [],
  })
  allowedOrigins!: string[];

  @ApiProperty({
    ...urlList,
    description:
      'URLs that the Continue button of the hosted pages and the links in sign-in emails may open. `*` at the beginning of a host stands for one label',
    example: [],
  })
  redirectUrls!: string[];
  @ApiProperty({
    ...nullableUrl,
    description: 'URL of the links in verification emails. Null means the hosted page',
  })
  verifyEmailUrl!: string | null;
  @ApiProperty({
    ...nullableUrl,
    description: 'URL of the links in password reset emails. Null means the hosted page',
  })
  resetPasswordUrl!: string | null;
  @ApiProperty({
    ...nullableUrl,
    description: 'URL of the links in invitation emails. Null means the hosted page',
  })
  acceptInviteUrl!: string | null;
  @ApiProperty({ type: SignInSettingsResponse }) signIn!: SignInSettingsResponse;
  @ApiProperty({
    type: LegacySignInResponse,
    nullable: true,
    description:
      'System from which customers move at their first sign-in with a password. Null means no such system',
  })
  legacySignIn!: LegacySignInResponse | null;
  @ApiProperty({
    ...nullableText,
    description:
      'Email code for all addresses at example.com and .test. Null means that codes are sent to these addresses',
    example: null,
  })
  testEmailCode!: string | null;
  @ApiProperty({ default: false }) requireVerifiedEmail!: boolean;
  @ApiProperty({
    default: false,
    description:
      'If true, register returns 202 for every email address, and customers cannot sign in before their address is verified',
  })
  enumerationProtection!: boolean;

  @ApiProperty({ type: 'integer', default: 3600, description: 'Lifetime of access tokens in seconds' })
  accessTokenTtl!: number;
  @ApiProperty({
    type: 'integer',
    default: 2_592_000,
    description: 'Seconds of inactivity after which a session expires',
  })
  refreshIdleTtl!: number;
  @ApiProperty({ type: 'integer', default: 7_776_000, description: 'Maximum age of a session in seconds' })
  refreshAbsoluteTtl!: number;
  @ApiProperty({
    oneOf: [{ type: 'string', enum: ['until_used'] }, { type: 'integer' }],
    default: 'until_used',
    description:
      'How long the previous refresh token can be used again: `until_used` (until the new tokens are used), or a number of seconds. Reuse yields the same new tokens',
  })
  refreshGrace!: RefreshGrace;
  @ApiProperty({
    type: PasskeySettingsResponse,
    nullable: true,
    description: 'Null means no passkeys in production, and passkeys for localhost otherwise',
  })
  passkeys!: PasskeySettingsResponse | null;
  @ApiProperty({
    enum: mfaPolicies,
    default: 'off',
    description: 'Whether customers can add a second factor, or must have one',
  })
  mfa!: MfaPolicy;
  @ApiProperty({
    type: 'integer',
    default: 14,
    description:
      'Number of days for which sessions without a second factor can still be refreshed after `mfa` has become `required`',
  })
  mfaGraceDays!: number;
  @ApiProperty({ type: [String], example: ['plan'] }) accessTokenClaims!: string[];
  @ApiProperty({
    enum: signingAlgorithms,
    default: 'ES256',
    description: 'Algorithm that signs new access tokens',
  })
  signingAlgorithm!: SigningAlgorithm;
  @ApiProperty({
    enum: tokenSubjects,
    default: 'id',
    description: 'Customer field that access tokens contain as `sub`',
  })
  tokenSubject!: TokenSubject;
  @ApiProperty({ type: 'integer', default: 8 }) passwordMinLength!: number;
  @ApiProperty({
    enum: passwordHashings,
    default: 'peppered',
    description:
      'How passwords are hashed: with a key of this installation, or as plain bcrypt, which other systems can verify',
  })
  passwordHashing!: PasswordHashing;
  @ApiProperty({ default: false }) breachCheck!: boolean;
  @ApiProperty({
    ...nullableText,
    description:
      'Language of emails and hosted pages for customers whose language is not known. Null means English',
    example: 'de',
  })
  defaultLocale!: string | null;
  @ApiProperty({ type: BrandingResponse }) branding!: BrandingResponse;
  @ApiProperty({ type: MailSettingsResponse }) mail!: MailSettingsResponse;
  @ApiProperty({ type: MailLimitsResponse }) mailLimits!: MailLimitsResponse;
  @ApiProperty({ type: LimitsResponse }) limits!: LimitsResponse;

  static from(settings: ProjectSettings): ProjectSettingsResponse {
    const { password, emailCode, passkey, allowSignUp } = settings.signIn;
    const { displayName, logoUrl, color } = settings.branding;
    const { fromName, replyTo } = settings.mail;
    const { signUp, passwordReset, emailChange, invitation, signIn, perRecipient } = settings.mailLimits;
    return {
      allowedOrigins: settings.allowedOrigins,
      redirectUrls: settings.redirectUrls,
      verifyEmailUrl: settings.verifyEmailUrl,
      resetPasswordUrl: settings.resetPasswordUrl,
      acceptInviteUrl: settings.acceptInviteUrl,
      signIn: { password, emailCode, passkey, allowSignUp },
      legacySignIn: settings.legacySignIn && { url: settings.legacySignIn.url },
      testEmailCode: settings.testEmailCode,
      requireVerifiedEmail: settings.requireVerifiedEmail,
      enumerationProtection: settings.enumerationProtection,
      accessTokenTtl: settings.accessTokenTtl,
      refreshIdleTtl: settings.refreshIdleTtl,
      refreshAbsoluteTtl: settings.refreshAbsoluteTtl,
      refreshGrace: settings.refreshGrace,
      passkeys: settings.passkeys && PasskeySettingsResponse.from(settings.passkeys),
      mfa: settings.mfa,
      mfaGraceDays: settings.mfaGraceDays,
      accessTokenClaims: settings.accessTokenClaims,
      signingAlgorithm: settings.signingAlgorithm,
      tokenSubject: settings.tokenSubject,
      passwordMinLength: settings.passwordMinLength,
      passwordHashing: settings.passwordHashing,
      breachCheck: settings.breachCheck,
      defaultLocale: settings.defaultLocale,
      branding: { displayName, logoUrl, color },
      mail: { fromName, replyTo },
      mailLimits: { signUp, passwordReset, emailChange, invitation, signIn, perRecipient },
      limits: LimitsResponse.from(settings.limits),
    };
  }
}

/** A project in responses to requests with a secret key and in events. */
export class ProjectResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) organizationId!: string;
  @ApiProperty({ example: 'Difference Engine' }) name!: string;
  @ApiProperty({ ...slugSchema, example: 'difference-engine' }) slug!: string;
  @ApiProperty({ enum: environments }) environment!: string;
  @ApiProperty({ type: ProjectSettingsResponse }) settings!: ProjectSettingsResponse;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) archivedAt!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) updatedAt!: string;

  static from(project: Project): ProjectResponse {
    return {
      id: project.id,
      organizationId: project.organizationId,
      name: project.name,
      slug: project.slug,
      environment: project.environment,
      settings: ProjectSettingsResponse.from(project.settings),
      archivedAt: project.archivedAt?.toISOString() ?? null,
      createdAt: project.createdAt.toISOString(),
      updatedAt: project.updatedAt.toISOString(),
    };
  }
}

const otherProjectDescription = 'Null if the key has `project` access and this is not its project';

/**
 * A project in a list. For other projects in its organization, a project key receives only the fields that identify
 * them (contract, section 3).
 */
export class ListedProjectResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: otherProjectDescription })
  organizationId!: string | null;
  @ApiProperty({ example: 'Difference Engine' }) name!: string;
  @ApiProperty({ ...slugSchema, example: 'difference-engine' }) slug!: string;
  @ApiProperty({ enum: environments }) environment!: string;
  @ApiProperty({ type: ProjectSettingsResponse, nullable: true, description: otherProjectDescription })
  settings!: ProjectSettingsResponse | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'Null if the project is not archived, or if the key has `project` access and this is not its project',
  })
  archivedAt!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: otherProjectDescription })
  createdAt!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: otherProjectDescription })
  updatedAt!: string | null;

  static within({ projectId }: AccessScope, project: Project): ListedProjectResponse {
    const response = ProjectResponse.from(project);
    if (!projectId || projectId === project.id) return response;
    const { id, name, slug, environment } = response;
    const hidden = {
      organizationId: null,
      settings: null,
      archivedAt: null,
      createdAt: null,
      updatedAt: null,
    };
    return { id, name, slug, environment, ...hidden };
  }
}
