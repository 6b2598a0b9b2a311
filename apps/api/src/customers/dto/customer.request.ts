import { importedHashFault } from '#platform';
import { isUuid } from '#domain';
import {
  BooleanField,
  CheckedField,
  EmailField,
  ExternalIdField,
  MetadataField,
  NameField,
  SecretField,
} from '../../http/fields.js';

/** What customers may change of themselves. */
export class UpdateMeRequest {
  @NameField({ description: 'Given name', example: 'Ada' }) firstName?: string | null;
  @NameField({ description: 'Family name', example: 'Lovelace' }) lastName?: string | null;
}

export class ChangePasswordRequest {
  @SecretField({ description: 'The password until now', maxLength: 1024 }) currentPassword!: string;
  @SecretField({ description: '8 to 128 characters of any kind', maxLength: 1024 }) newPassword!: string;
}

export class ChangeEmailRequest {
  @EmailField() email!: string;
  @SecretField({ description: "The customer's password", maxLength: 1024 }) password!: string;
}

export class DeleteMeRequest {
  @SecretField({ description: "The customer's password", maxLength: 1024 }) currentPassword!: string;
}

/** A customer as a server creates them. */
export class CreateCustomerRequest extends UpdateMeRequest {
  @EmailField() email!: string;

  @CheckedField({
    description: "The project they belong to; default: the key's own",
    optional: true,
    isValid: isUuid,
    message: 'projectId must be a UUID',
  })
  projectId?: string;

  @ExternalIdField() externalId?: string | null;

  @SecretField({ description: '8 to 128 characters of any kind', optional: true, maxLength: 1024 })
  password?: string;

  @CheckedField({
    description:
      'The password as another system hashed it: bcrypt, argon2id, scrypt, pbkdf2 (also of Django) or fbscrypt of Firebase; replaced at the next login',
    optional: true,
    isValid: (text) => importedHashFault(text) === null,
    message: ({ value }) => `passwordHash ${importedHashFault(String(value))}`,
  })
  passwordHash?: string;

  @BooleanField({ description: 'Whether they have proved to own the address', optional: true })
  emailVerified?: boolean;

  @MetadataField({ description: 'For secret keys only' }) metadata?: Record<string, unknown>;
  @MetadataField({ description: 'The customer may read it' }) publicMetadata?: Record<string, unknown>;

  @BooleanField({ description: 'Whether to mail a link to set the first password', optional: true })
  sendInvite?: boolean;
}
