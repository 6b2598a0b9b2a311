import { OmitType } from '@nestjs/swagger';
import {
  environments,
  isLogoUrl,
  isPageOrigin,
  isPageUrl,
  isSlug,
  isUuid,
  reservedClaims,
  type Branding,
  type Environment,
  type MailSettings,
  type SettingsPatch,
} from '#domain';
import {
  BooleanField,
  CheckedField,
  EmailField,
  IntegerField,
  ObjectField,
  OneOfField,
  TextField,
  TextSetField,
} from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';
import { SearchTextField } from '../../http/search-fields.js';

/** A setting may be left out, and null brings it back to its default. */
const setting = (description: string) => ({ description, optional: true, nullable: true });

const shortText = (description: string) => ({ ...setting(description), minLength: 1, maxLength: 100 });

const PageUrlField = (description: string): PropertyDecorator =>
  CheckedField({
    ...setting(`${description}; null: the hosted page. ?token= is added`),
    maxLength: 2048,
    isValid: isPageUrl,
    message: '$property must be an https URL, an http URL of this machine, or com.example.app:/path',
  });

export class BrandingRequest implements Partial<Branding> {
  @TextField(shortText("Shown instead of the project's name")) displayName?: string | null;

  @CheckedField({
    ...setting('https URL of a picture'),
    maxLength: 2048,
    isValid: isLogoUrl,
    message: '$property must be an https URL',
  })
  logoUrl?: string | null;

  @CheckedField({
    ...setting('Colour of buttons'),
    example: '#1d4ed8',
    isValid: (text) => /^#[0-9a-f]{6}$/i.test(text),
    message: '$property must be #rrggbb',
  })
  color?: string | null;
}

export class MailSettingsRequest implements Partial<MailSettings> {
  @TextField(shortText("Name of the mails' sender; null: the one of MAIL_FROM")) fromName?: string | null;
  @EmailField(setting("Where answers to the project's mails go")) replyTo?: string | null;
}

/** A merge patch of the settings: null brings one back to its default. Times in seconds. */
export class SettingsRequest implements SettingsPatch {
  @TextSetField({
    ...setting('Origins whose pages may call; empty: any'),
    example: ['https://app.example.com'],
    maxItems: 50,
    isValid: isPageOrigin,
    message: '$property must hold origins as browsers send them, such as https://app.example.com',
  })
  allowedOrigins?: string[] | null;

  @TextSetField({
    ...setting("Where the hosted pages' Continue may lead"),
    example: ['https://app.example.com/welcome'],
    maxItems: 50,
    isValid: isPageUrl,
    message:
      '$property must hold https URLs, http URLs of this machine, or URLs such as com.example.app:/path',
  })
  redirectUrls?: string[] | null;

  @PageUrlField('Where the links of verification mails lead') verifyEmailUrl?: string | null;
  @PageUrlField('Where the links of password mails lead') resetPasswordUrl?: string | null;
  @PageUrlField('Where the links of invitations lead') acceptInviteUrl?: string | null;

  @BooleanField(setting('Whether only customers with a verified address can log in'))
  requireVerifiedEmail?: boolean | null;

  @BooleanField(setting('Whether registering tells nobody that an address is taken'))
  enumerationProtection?: boolean | null;

  @IntegerField({ ...setting('Lifetime of access tokens'), min: 60, max: 86_400 })
  accessTokenTtl?: number | null;

  @IntegerField({ ...setting('How long a session may go unused'), min: 300, max: 31_536_000 })
  refreshIdleTtl?: number | null;

  @IntegerField({
    ...setting('How long a session lasts at most; not less than refreshIdleTtl'),
    min: 300,
    max: 63_072_000,
  })
  refreshAbsoluteTtl?: number | null;

  @TextSetField({
    ...setting('Keys of publicMetadata that access tokens carry as claims of the same name'),
    example: ['plan'],
    maxItems: 10,
    isValid: isClaimName,
    message: '$property must hold names of letters, digits and _ that no other claim has',
  })
  accessTokenClaims?: string[] | null;

  @IntegerField({ ...setting('The least length of a new password in characters'), min: 8, max: 64 })
  passwordMinLength?: number | null;

  @BooleanField(setting('Whether new passwords are looked up in a public list of breached ones'))
  breachCheck?: boolean | null;

  @ObjectField({ ...setting('Look of hosted pages and mails'), type: BrandingRequest })
  branding?: BrandingRequest | null;

  @ObjectField({ ...setting('The sender of mails'), type: MailSettingsRequest })
  mail?: MailSettingsRequest | null;
}

const name = { description: 'What people call it', minLength: 1, maxLength: 100 };

export class CreateProjectRequest {
  @TextField({ ...name, example: 'Difference Engine' }) name!: string;

  @CheckedField({
    description:
      'A short name of its own in the organization: 3 to 48 of a-z, 0-9 and -; made from the name when left out',
    example: 'difference-engine',
    optional: true,
    isValid: isSlug,
    message: '$property must be 3 to 48 of a-z, 0-9 and -',
  })
  slug?: string;

  @OneOfField('What the project is for; development when left out', environments) environment?: Environment;

  @CheckedField({
    description: "Default: the key's own organization",
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  organizationId?: string;

  @ObjectField({
    description: 'The settings that differ from the defaults',
    optional: true,
    type: SettingsRequest,
  })
  settings?: SettingsRequest;
}

export class ListProjectsQuery extends PageQuery {
  @CheckedField({
    description: 'Only projects of this organization',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  organizationId?: string;

  @OneOfField('Only projects of this environment', environments) environment?: Environment;
  @OneOfField('Only archived projects, or only others', ['true', 'false']) archived?: 'true' | 'false';
}

/** What operators list projects by. */
export class SearchProjectsQuery extends ListProjectsQuery {
  @SearchTextField('The id of a project, or the beginning of its name or slug') q?: string;
}

export class CountProjectsQuery extends OmitType(SearchProjectsQuery, ['limit', 'cursor'] as const) {}

export class UpdateProjectRequest {
  @TextField({ ...name, optional: true })
  name?: string;

  @ObjectField({ description: 'The settings to change', optional: true, type: SettingsRequest })
  settings?: SettingsRequest;
}

/** Names such as `toString` are found in every object. */
function isClaimName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text) && !reservedClaims.has(text) && !(text in {});
}
