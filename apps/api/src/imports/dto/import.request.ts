import { applyDecorators } from '@nestjs/common';
import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import {
  CLOCK_LEEWAY_SECONDS,
  isRpId,
  isSlug,
  isSubject,
  isUuid,
  MAX_IMPORTED_IDENTITIES,
  MAX_PASSKEYS,
  parseTimestamp,
  PASSKEY_NAME_LENGTH,
  SUBJECT_LENGTH,
  type CustomerMfaPolicy,
} from '@gatehouse/domain';
import { decodeBase64Url, now } from '@gatehouse/platform';
import {
  CustomerProfileFields,
  CustomerMfaField,
  ExternalIdField,
} from '../../customers/dto/customer.fields.js';
import type { FieldOptions } from '../../http/input/field-options.js';
import {
  BooleanField,
  CheckedField,
  EmailField,
  IntegerField,
  MetadataField,
  OneOfField,
  ProjectIdField,
  SecretField,
  TextField,
} from '../../http/input/fields.js';
import { NameTextField } from '../../http/input/name-fields.js';
import { ObjectListField } from './object-list.fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { TransportsField } from '../../passkeys/dto/passkey-response.fields.js';
import { domainSchema, urlSchema } from '../../http/input/text-schemas.js';
import { timeMessage } from '../../http/input/time-field.js';

const isPast = (text: string): boolean => {
  const time = parseTimestamp(text)?.getTime() ?? NaN;
  return time >= 0 && time <= now().getTime() + CLOCK_LEEWAY_SECONDS * 1_000;
};

/** RFC 4226, section 4, requires 128 bits; many systems generate 80. */
const isTotpSecret = (text: string): boolean => /^[A-Z2-7]{16,}$/.test(text);

const EPOCH = /^\d{1,17}$/;
const OFFSET = /([+-]\d\d)(?::?(\d\d))?$/;

/**
 * Converts a timestamp from another system to RFC 3339: a PostgreSQL timestamp (`2019-05-01 12:00:00.123456+00`), which
 * may have a short offset, or an epoch as a number or a digit string (Firebase, Clerk). Epochs below 10^11 are in
 * seconds, below 10^14 in milliseconds, and all others in microseconds, so each unit covers the years 1973 to 5138.
 * Returns any other value unchanged.
 */
export function toRfc3339(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = String(value);
  if (EPOCH.test(text)) {
    const epoch = Number(text);
    const ms = epoch < 1e11 ? epoch * 1_000 : epoch < 1e14 ? epoch : Math.floor(epoch / 1_000);
    return new Date(ms).toISOString();
  }
  const isTime = typeof value === 'string' && text.includes(':');
  return isTime ? text.replace(OFFSET, (_, hours: string, minutes = '00') => `${hours}:${minutes}`) : value;
}

/** An optional, nullable time between 1970 and now. */
const PastField = (description: string): PropertyDecorator =>
  applyDecorators(
    CheckedField({
      description: `${description}. ISO 8601, a PostgreSQL timestamp, or a Unix timestamp in seconds, milliseconds or microseconds`,
      example: '2019-05-01T12:00:00.000Z',
      optional: true,
      nullable: true,
      isValid: isPast,
      message: (validation) =>
        timeMessage(
          validation,
          'must be a time between 1970 and now: ISO 8601 with an offset, a PostgreSQL timestamp with an offset, or a Unix timestamp',
        ),
    }),
    Transform(({ value }: { value: unknown }) => toRfc3339(value)),
  );

const UuidField = (description: string): PropertyDecorator =>
  CheckedField({ description, optional: true, isValid: isUuid, message: '$property must be a UUID' });

/** Bytes in base64url. */
const BytesField = (options: FieldOptions & { maxBytes: number }): PropertyDecorator =>
  CheckedField({
    ...options,
    schema: { pattern: '^[A-Za-z0-9_-]+$', maxLength: Math.ceil((options.maxBytes * 4) / 3) },
    isValid: (text) => {
      const bytes = decodeBase64Url(text);
      return bytes !== null && bytes.length > 0 && bytes.length <= options.maxBytes;
    },
    message: `$property must be base64url without padding, with at most ${options.maxBytes} bytes`,
  });

/** A passkey from another system or from a Gatehouse export. */
export class ImportedPasskeyFields {
  @CheckedField({
    description: 'Domain to which the passkey is bound. It must be the `rpId` of the project',
    example: 'example.com',
    maxLength: 253,
    schema: domainSchema,
    isValid: isRpId,
    message: '$property must be a domain name in lowercase, or localhost',
  })
  rpId!: string;

  @BytesField({ description: 'Id of the passkey, unique in the project, in base64url', maxBytes: 1023 })
  credentialId!: string;

  // The service validates the key, because the library that parses it is loaded on demand.
  @BytesField({
    description: 'Public key as a COSE key (ES256, EdDSA or RS256) in base64url',
    maxBytes: 2048,
  })
  publicKey!: string;

  @BytesField({
    description:
      'Customer id in the passkey (`user.id` when it was created), in base64url. Default: the 16 bytes of the id of the customer',
    optional: true,
    maxBytes: 64,
  })
  userHandle?: string;

  @IntegerField({
    description: 'Last signature counter. Default: 0, for a passkey that does not count signatures',
    optional: true,
    min: 0,
    max: 2 ** 32 - 1,
  })
  counter?: number;

  @TransportsField() transports?: string[];

  @OneOfField(
    '`singleDevice` if the passkey is bound to a device, `multiDevice` if it can be synchronized. Default: `multiDevice`',
    ['singleDevice', 'multiDevice'],
  )
  deviceType?: 'singleDevice' | 'multiDevice';

  @BooleanField({ description: 'True if the passkey is synchronized. Default: false', optional: true })
  backedUp?: boolean;

  // `isUuid` would reject some AAGUIDs, because their version and variant bits are arbitrary (RFC 9562).
  @CheckedField({
    description: 'Model of the authenticator (AAGUID)',
    optional: true,
    schema: { format: 'uuid' },
    isValid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
    message: '$property must be 128 bits in the format of a UUID',
  })
  aaguid?: string;

  @NameTextField({
    description: 'Name that the customer sees. Default: `Passkey`',
    optional: true,
    minLength: 1,
    maxLength: PASSKEY_NAME_LENGTH,
  })
  name?: string;

  @PastField('Creation time. Default: now') createdAt?: string | null;
  @PastField('Time of the last use') lastUsedAt?: string | null;
}

/** A customer's account with an identity provider. */
export class ImportedIdentityFields {
  @CheckedField({
    description: "Slug of one of the project's identity providers. The provider need not be enabled",
    example: 'google',
    isValid: isSlug,
    message: '$property must be the slug of an identity provider',
  })
  provider!: string;

  @CheckedField({
    description:
      'Identifies the account at the identity provider: the `sub` claim, or the id of a GitHub or Discord user. Unique for the provider',
    example: '110169484474386276334',
    schema: { minLength: 1, maxLength: SUBJECT_LENGTH },
    isValid: isSubject,
    message: `$property must be 1 to ${SUBJECT_LENGTH} characters without control characters`,
  })
  subject!: string;
}

class ImportedEmail {
  @EmailField() email!: string;
}

/** Fields that customers cannot set themselves. */
class ImportedFields {
  @ExternalIdField() externalId?: string | null;

  @SecretField({
    description: '8 to 128 characters; any character is allowed',
    optional: true,
    maxLength: 1024,
  })
  password?: string;

  // PasswordHasher.importHash validates the format, because it has the secrets.
  @TextField({
    description:
      'Password hash from another system, or from a Gatehouse export with the same GATEHOUSE_SECRET',
    optional: true,
    nullable: true,
    maxLength: 2048,
  })
  passwordHash?: string | null;

  @CheckedField({
    description:
      'Secret of an authenticator app (TOTP with SHA-1, 6 digits and 30 s) in base32, from another system or an export with hashes',
    optional: true,
    nullable: true,
    maxLength: 200,
    isValid: isTotpSecret,
    message: '$property must be at least 80 bits in base32, without padding',
  })
  totpSecret?: string | null;

  @ObjectListField({
    description: 'Passkeys. Their `rpId` must match the project',
    type: ImportedPasskeyFields,
    optional: true,
    nullable: true,
    maxItems: MAX_PASSKEYS,
  })
  passkeys?: ImportedPasskeyFields[] | null;

  @ObjectListField({
    description: 'Accounts at identity providers that the customer can sign in with',
    type: ImportedIdentityFields,
    optional: true,
    nullable: true,
    maxItems: MAX_IMPORTED_IDENTITIES,
  })
  identities?: ImportedIdentityFields[] | null;

  @BooleanField({
    description: 'True if the customer has proven ownership of the email address',
    optional: true,
  })
  emailVerified?: boolean;

  @MetadataField({ description: 'Readable only with a secret key', nullable: true })
  metadata?: Record<string, unknown> | null;
  @MetadataField({ description: 'Also readable by the customer', nullable: true })
  publicMetadata?: Record<string, unknown> | null;

  @CustomerMfaField() mfa?: CustomerMfaPolicy;

  @PastField('Time at which the customer was disabled. Default: not disabled') disabledAt?: string | null;
  @PastField('Creation time. Default: now') createdAt?: string | null;
  @PastField('Time of the last change. Default: the creation time') updatedAt?: string | null;
  @PastField('Time of the last sign-in') lastLoginAt?: string | null;

  @UuidField('Id of the customer. If it is taken, the customer gets a new id')
  id?: string;
  @UuidField('Accepted because exports contain it, but ignored: the project is a parameter of the import')
  projectId?: string;
  @TextField({
    description: 'https URL of an image. An identity provider sets it only if it is missing',
    optional: true,
    nullable: true,
    maxLength: 2048,
    schema: urlSchema,
  })
  imageUrl?: string | null;
}

/** A customer from another system, or a line from an export. */
export class ImportedCustomer extends IntersectionType(
  ImportedEmail,
  CustomerProfileFields,
  ImportedFields,
) {}

const DRY_RUN =
  'If true, the customers are validated and compared with existing customers, but not created. Default: false';

const ALLOW_FAST_HASHES =
  'If true, salted SHA hashes are accepted, although they are fast to guess. They are stored encrypted, count as `weakHashes`, and are replaced at the first sign-in. Default: false';

const EMIT_EVENTS =
  'If true, a `customer.created` event is emitted for each new customer, and the events of a change for each updated customer. If false, an update only emits the events that services need to reject access: `customer.disabled`, `customer.enabled`, `session.revoked` and `email.changed`. Default: false';

const UPDATE =
  "If true, a line whose `externalId` or `id` belongs to a customer updates that customer if the line's `updatedAt` is newer, or if the customer has not changed since the last import. Default: false; existing customers then stay unchanged";

/** JSON body with a list of customers to import. */
export class ImportCustomersRequest {
  @CheckedField({
    description: 'Project that the customers are imported into. Default: the project of the key',
    optional: true,
    isValid: isUuid,
    message: 'projectId must be a UUID',
  })
  projectId?: string;

  @BooleanField({
    description: EMIT_EVENTS,
    optional: true,
  })
  emitEvents?: boolean;

  @BooleanField({ description: UPDATE, optional: true })
  update?: boolean;

  @BooleanField({ description: DRY_RUN, optional: true })
  dryRun?: boolean;

  @BooleanField({ description: ALLOW_FAST_HASHES, optional: true })
  allowFastHashes?: boolean;

  @ApiProperty({ type: [ImportedCustomer], minItems: 1, maxItems: 1000 })
  // Takes the raw values: each customer is validated separately, with its metadata unchanged.
  @Transform(({ obj }: { obj: { customers?: unknown } }) => obj.customers)
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  // Decorators apply bottom up, so a value that is not an array is not also reported as too long.
  @IsArray()
  customers!: unknown[];
}

/** Query parameters for an NDJSON import. */
export class ImportQuery {
  @CheckedField({
    description:
      'UUID that you choose. To resume an interrupted import, send the same lines with the same id. The import continues after the last processed line',
    optional: true,
    isValid: isUuid,
    message: 'importId must be a UUID',
  })
  importId?: string;

  @ProjectIdField() projectId?: string;
  @OneOfField(EMIT_EVENTS, ['true', 'false'])
  emitEvents?: 'true' | 'false';

  @OneOfField(UPDATE, ['true', 'false'])
  update?: 'true' | 'false';

  @OneOfField(`${DRY_RUN}. The response then contains the first 1,000 lines of each kind`, ['true', 'false'])
  dryRun?: 'true' | 'false';

  @OneOfField(ALLOW_FAST_HASHES, ['true', 'false'])
  allowFastHashes?: 'true' | 'false';
}

/** Pagination of an import's `failures`. */
export class ImportFailuresQuery extends PageQuery {}
