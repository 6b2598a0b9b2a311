import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { isUuid } from '#domain';
import { now } from '#platform';
import {
  BooleanField,
  CheckedField,
  EmailField,
  ExternalIdField,
  isTime,
  MetadataField,
  NameField,
  OneOfField,
  ProjectIdField,
  SecretField,
  TextField,
} from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';

/** How far another clock may be ahead of ours, in ms. */
const CLOCK_MS = 5 * 60_000;

const isPast = (text: string): boolean => {
  const time = isTime(text) ? Date.parse(text) : NaN;
  return time >= 0 && time <= now().getTime() + CLOCK_MS;
};

/** A moment since 1970 that has been; may be left out or null. */
const PastField = (description: string): PropertyDecorator =>
  CheckedField({
    description,
    example: '2019-05-01T12:00:00.000Z',
    optional: true,
    nullable: true,
    isValid: isPast,
    message: '$property must be an ISO 8601 time between 1970 and now',
  });

const IgnoredIdField = (description: string): PropertyDecorator =>
  CheckedField({ description, optional: true, isValid: isUuid, message: '$property must be a UUID' });

/** A customer as an import takes them: what another system knows, or a line of an export. */
export class ImportedCustomer {
  @EmailField() email!: string;
  @NameField({ description: 'Given name', example: 'Ada' }) firstName?: string | null;
  @NameField({ description: 'Family name', example: 'Lovelace' }) lastName?: string | null;

  @ExternalIdField() externalId?: string | null;

  @SecretField({ description: '8 to 128 characters of any kind', optional: true, maxLength: 1024 })
  password?: string;

  // Its form is judged where the secrets are known: by PasswordHasher.importHash.
  @TextField({
    description:
      'The password as another system hashed it, or as an export of Gatehouse with the same GATEHOUSE_SECRET has it',
    optional: true,
    nullable: true,
    maxLength: 2048,
  })
  passwordHash?: string | null;

  @BooleanField({ description: 'Whether they have proved to own the address', optional: true })
  emailVerified?: boolean;

  @MetadataField({ description: 'For secret keys only' }) metadata?: Record<string, unknown>;
  @MetadataField({ description: 'The customer may read it' }) publicMetadata?: Record<string, unknown>;

  @PastField('Since when they have been kept out; default: they are not') disabledAt?: string | null;
  @PastField('When they were created; default: now') createdAt?: string | null;
  @PastField('When they were changed last; default: when they were created') updatedAt?: string | null;
  @PastField('When they logged in last') lastLoginAt?: string | null;

  @IgnoredIdField('Of an export; not used: everybody gets an id of their own') id?: string;
  @IgnoredIdField('Of an export; not used: the import says where its customers go') projectId?: string;
}

/** A list of customers in one body. */
export class ImportCustomersRequest {
  @CheckedField({
    description: "The project they are imported into; default: the key's own",
    optional: true,
    isValid: isUuid,
    message: 'projectId must be a UUID',
  })
  projectId?: string;

  @BooleanField({ description: 'Whether to emit customer.created for each; default: false', optional: true })
  emitEvents?: boolean;

  @ApiProperty({ type: [ImportedCustomer], minItems: 1, maxItems: 1000 })
  // Each is judged by itself, and keeps its metadata as it came.
  @Transform(({ obj }: { obj: { customers?: unknown } }) => obj.customers)
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  // Judged from the last to the first: what is no list is not too long.
  @IsArray()
  customers!: unknown[];
}

/** What an import of lines is told beside its body. */
export class ImportQuery {
  @CheckedField({
    description:
      'A UUID of your own: what is sent again under it goes on after the last line that was imported',
    optional: true,
    isValid: isUuid,
    message: 'importId must be a UUID',
  })
  importId?: string;

  @ProjectIdField() projectId?: string;
  @OneOfField('Whether to emit customer.created for each; default: false', ['true', 'false'])
  emitEvents?: 'true' | 'false';
}

/** A page of the lines that made nobody. */
export class ImportFailuresQuery extends PageQuery {}
