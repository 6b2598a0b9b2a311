import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import {
  isLogoUrl,
  isOriginEntry,
  isPageUrl,
  isPasskeyOrigin,
  isRedirectUrlEntry,
  isProjectRpId,
  MAX_REFRESH_GRACE_SECONDS,
  mfaPolicies,
  passwordHashings,
  reservedClaims,
  signingAlgorithms,
  tokenSubjects,
  type Branding,
  type MailSettings,
  type MfaPolicy,
  type PasswordHashing,
  type RefreshGrace,
  type SettingsPatch,
  type SigningAlgorithm,
  type SignInSettings,
  type TokenSubject,
} from '@gatehouse/domain';
import { domainSchema } from '../../http/input/text-schemas.js';
import { describeField, presence } from '../../http/input/field-options.js';
import {
  BooleanField,
  CheckedField,
  EmailField,
  IntegerField,
  LocaleField,
  ObjectField,
  OneOfField,
  TextSetField,
} from '../../http/input/fields.js';
import { NameTextField } from '../../http/input/name-fields.js';
import { LegacySignInRequest } from './legacy-sign-in.request.js';
import { LimitsRequest } from './limits.request.js';
import { MailLimitsRequest } from './mail-limits.request.js';

/** Returns the options for an optional setting. Null resets it to the default. */
const setting = (description: string) => ({ description, optional: true, nullable: true });

const wildcards =
  'The host of an https entry can begin with a wildcard for one label, such as `https://*.preview.example.com`, but not directly above a public suffix such as `co.uk` or `github.io`';

const shortText = (description: string) => ({ ...setting(description), minLength: 1, maxLength: 100 });

const PageUrlField = (description: string): PropertyDecorator =>
  CheckedField({
    ...setting(`${description}. ?token= is appended. Null means the hosted page`),
    maxLength: 2048,
    isValid: isPageUrl,
    message:
      '$property must be an https URL, an http URL of localhost, or an app URL such as com.example.app:/path',
  });

export class SignInSettingsRequest implements Partial<Record<keyof SignInSettings, boolean | null>> {
  @BooleanField(
    setting(
      'If true, customers can sign in with a password. If false, passwords stay stored, but are not accepted',
    ),
  )
  password?: boolean | null;

  @BooleanField(setting('If true, customers can sign in with a code that they receive by email'))
  emailCode?: boolean | null;

  @BooleanField(setting('If true, customers can sign in with a passkey alone')) passkey?: boolean | null;

  @BooleanField(
    setting(
      'If true, customers can create accounts. If false, only secret keys, operators and imports create them',
    ),
  )
  allowSignUp?: boolean | null;
}

export class BrandingRequest implements Partial<Branding> {
  @NameTextField(shortText('Name shown to customers instead of the project name')) displayName?:
    | string
    | null;

  @CheckedField({
    ...setting('https URL of the logo image'),
    maxLength: 2048,
    isValid: isLogoUrl,
    message: '$property must be an https URL',
  })
  logoUrl?: string | null;

  @CheckedField({
    ...setting('Color of buttons'),
    example: '#1d4ed8',
    isValid: (text) => /^#[0-9a-f]{6}$/i.test(text),
    message: '$property must be a color in the format #rrggbb',
  })
  color?: string | null;
}

export class MailSettingsRequest implements Partial<MailSettings> {
  @NameTextField(shortText('Sender name of emails. Null means the name in MAIL_FROM')) fromName?:
    | string
    | null;
  @EmailField(setting('Reply-To address of emails')) replyTo?: string | null;
}

export class PasskeySettingsRequest {
  @CheckedField({
    description: 'Domain to which passkeys are bound. It cannot change while customers have passkeys',
    example: 'example.com',
    optional: true,
    maxLength: 253,
    schema: domainSchema,
    isValid: isProjectRpId,
    message:
      '$property must be a domain name in lowercase without scheme and port, not a public suffix such as co.uk, or localhost',
  })
  rpId?: string;

  @NameTextField(shortText('Name that browsers show. Null means the name of the project')) rpName?:
    | string
    | null;

  @TextSetField({
    description:
      'Origins of pages and Android apps that may use the passkeys. A page whose host is neither rpId nor below it must also be listed at https://<rpId>/.well-known/webauthn',
    example: ['https://app.example.com'],
    optional: true,
    maxItems: 20,
    isValid: isPasskeyOrigin,
    message:
      '$property must contain https origins with a domain name, http origins of localhost, or android:apk-key-hash:…',
  })
  origins?: string[];
}

const isRefreshGrace = (value: unknown): boolean =>
  value === 'until_used' ||
  (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_REFRESH_GRACE_SECONDS);

const RefreshGraceField = (): PropertyDecorator => {
  const options = setting(
    'How long the previous refresh token can be used again: `until_used` (until the new tokens are used), or a number of seconds. Reuse yields the same new tokens',
  );
  return applyDecorators(
    describeField(options, {
      oneOf: [
        { type: 'string', enum: ['until_used'] },
        { type: 'integer', minimum: 0, maximum: MAX_REFRESH_GRACE_SECONDS },
      ],
    }),
    presence(options),
    ValidateBy(
      { name: 'checked', validator: { validate: isRefreshGrace } },
      {
        message: `$property must be until_used or a number of seconds from 0 to ${MAX_REFRESH_GRACE_SECONDS}`,
      },
    ),
  );
};

/** A merge patch for the settings. Null resets a setting to its default. Times are in seconds. */
export class SettingsRequest implements SettingsPatch {
  @TextSetField({
    ...setting(`Origins whose pages may send requests. An empty list allows any origin. ${wildcards}`),
    example: ['https://app.example.com'],
    maxItems: 50,
    isValid: isOriginEntry,
    message:
      '$property must contain origins as browsers send them, such as https://app.example.com or https://*.preview.example.com. The wildcard must not be directly above a public suffix',
  })
  allowedOrigins?: string[] | null;

  @TextSetField({
    ...setting(
      `URLs that the Continue button of the hosted pages and the links in sign-in emails may open. ${wildcards}. Projects in the \`production\` environment reject wildcards here. An entry on \`http://127.0.0.1\` or \`http://[::1]\` matches any port; an entry on \`http://localhost\` matches only its own port`,
    ),
    example: ['https://app.example.com/welcome'],
    maxItems: 50,
    isValid: isRedirectUrlEntry,
    message:
      '$property must contain https URLs, http URLs of localhost, or app URLs such as com.example.app:/path. A wildcard must be the first label of an https URL, and not directly above a public suffix',
  })
  redirectUrls?: string[] | null;

  @PageUrlField('URL of the links in verification emails') verifyEmailUrl?: string | null;
  @PageUrlField('URL of the links in password reset emails') resetPasswordUrl?: string | null;
  @PageUrlField('URL of the links in invitation emails') acceptInviteUrl?: string | null;

  @ObjectField({
    ...setting(
      'How customers can sign in. The password, the email code or an identity provider must be enabled',
    ),
    type: SignInSettingsRequest,
  })
  signIn?: SignInSettingsRequest | null;

  @ObjectField({
    ...setting(
      'System from which customers move at their first sign-in with a password. Null means no such system',
    ),
    type: LegacySignInRequest,
  })
  legacySignIn?: LegacySignInRequest | null;

  @CheckedField({
    ...setting(
      'Fixed six-digit email code for all addresses at example.com and .test, so that tests can sign in. No codes are sent to these addresses. Available only in projects in the `development` environment, and not with NODE_ENV=production',
    ),
    example: '424242',
    isValid: (text) => /^\d{6}$/.test(text),
    message: '$property must be six digits',
  })
  testEmailCode?: string | null;

  @BooleanField(setting('If true, only customers with a verified email address can sign in'))
  requireVerifiedEmail?: boolean | null;

  @BooleanField(
    setting(
      'If true, the response to a registration does not reveal whether the email address is already registered',
    ),
  )
  enumerationProtection?: boolean | null;

  @IntegerField({ ...setting('Lifetime of access tokens in seconds'), min: 60, max: 86_400 })
  accessTokenTtl?: number | null;

  @IntegerField({
    ...setting('Seconds of inactivity after which a session expires'),
    min: 300,
    max: 31_536_000,
  })
  refreshIdleTtl?: number | null;

  @IntegerField({
    ...setting('Maximum age of a session in seconds; at least refreshIdleTtl'),
    min: 300,
    max: 63_072_000,
  })
  refreshAbsoluteTtl?: number | null;

  @RefreshGraceField() refreshGrace?: RefreshGrace | null;

  @ObjectField({
    ...setting(
      'Domain of the passkeys. Null means no passkeys in production, and passkeys for localhost otherwise',
    ),
    type: PasskeySettingsRequest,
  })
  passkeys?: PasskeySettingsRequest | null;

  @CheckedField({
    ...setting(
      'Whether customers can add a second factor, or must have one (`required`). Once a factor is added, sign-ins require it',
    ),
    values: mfaPolicies,
    isValid: (text) => (mfaPolicies as readonly string[]).includes(text),
    message: `$property must be ${mfaPolicies.join(', ')}`,
  })
  mfa?: MfaPolicy | null;

  @IntegerField({
    ...setting(
      'Number of days for which sessions without a second factor can still be refreshed after `mfa` has become `required`',
    ),
    min: 0,
    max: 90,
  })
  mfaGraceDays?: number | null;

  @TextSetField({
    ...setting(
      'Customer fields that access tokens contain as claims with the same name: externalId, email, firstName, lastName and keys of publicMetadata',
    ),
    example: ['plan'],
    maxItems: 10,
    isValid: isClaimName,
    message:
      '$property must contain names of at most 64 letters, digits and _ that do not start with a digit and are not reserved',
  })
  accessTokenClaims?: string[] | null;

  @OneOfField(
    'Algorithm that signs new access tokens. Tokens signed with the other algorithm stay valid until they expire',
    signingAlgorithms,
    { nullable: true },
  )
  signingAlgorithm?: SigningAlgorithm | null;

  @OneOfField(
    'Customer field that access tokens contain as `sub`. With `externalId`, `sub` is the id for customers without an externalId, and the `customer_id` claim contains the id. It cannot change once a customer has signed in',
    tokenSubjects,
    { nullable: true },
  )
  tokenSubject?: TokenSubject | null;

  @IntegerField({ ...setting('Minimum length of new passwords in characters'), min: 8, max: 64 })
  passwordMinLength?: number | null;

  @OneOfField(
    'How passwords are hashed. `peppered`: with a key of this installation. `portable`: plain bcrypt, which other systems can verify, so new passwords can be at most 72 bytes long. A change applies to new passwords immediately, and to existing passwords at the next sign-in',
    passwordHashings,
    { nullable: true },
  )
  passwordHashing?: PasswordHashing | null;

  @BooleanField(setting('If true, new passwords are checked against a public list of breached passwords'))
  breachCheck?: boolean | null;

  @LocaleField({
    description:
      'Language of emails and hosted pages for customers whose language is not known, as a BCP 47 tag. Null means English',
  })
  defaultLocale?: string | null;

  @ObjectField({ ...setting('Appearance of hosted pages and emails'), type: BrandingRequest })
  branding?: BrandingRequest | null;

  @ObjectField({ ...setting('Sender of emails'), type: MailSettingsRequest })
  mail?: MailSettingsRequest | null;

  @ObjectField({
    ...setting('Maximum number of emails per hour. Emails to unverified addresses are counted separately'),
    type: MailLimitsRequest,
  })
  mailLimits?: MailLimitsRequest | null;

  @ObjectField({
    ...setting('Limits on customer requests. A 429 response names the limit that was exceeded'),
    type: LimitsRequest,
  })
  limits?: LimitsRequest | null;
}

/**
 * Returns true if the claim name is allowed. Names of inherited object members, such as `toString`, are not allowed.
 */
function isClaimName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text) && !reservedClaims.has(text) && !(text in {});
}
