import { importedHashProblem } from '@gatehouse/platform';
import { isUuid, type CustomerMfaPolicy } from '@gatehouse/domain';
import { CustomerMfaField, CustomerProfileFields, ExternalIdField } from './customer.fields.js';
import {
  BooleanField,
  CheckedField,
  EmailField,
  MetadataField,
  SecretField,
} from '../../http/input/fields.js';

/** The fields that customers can change. A field that is missing stays unchanged. */
export class UpdateMeRequest extends CustomerProfileFields {}

const CurrentPasswordField = (): PropertyDecorator =>
  SecretField({
    description:
      'Current password. If the customer has none, a proof of identity within the last ten minutes is required instead',
    optional: true,
    maxLength: 1024,
  });

export class ChangePasswordRequest {
  @CurrentPasswordField() currentPassword?: string;
  @SecretField({ description: '8 to 128 characters; any character is allowed', maxLength: 1024 })
  newPassword!: string;
}

export class ChangeEmailRequest {
  @EmailField() email!: string;
  @CurrentPasswordField() password?: string;
}

export class DeleteMeRequest {
  @CurrentPasswordField() currentPassword?: string;
}

/** A new customer, created with a secret key. */
export class CreateCustomerRequest extends CustomerProfileFields {
  @EmailField() email!: string;

  @CheckedField({
    description: 'Project of the customer. Default: the project of the key',
    optional: true,
    isValid: isUuid,
    message: 'projectId must be a UUID',
  })
  projectId?: string;

  @ExternalIdField() externalId?: string | null;

  @SecretField({
    description: '8 to 128 characters; any character is allowed',
    optional: true,
    maxLength: 1024,
  })
  password?: string;

  @CheckedField({
    description:
      'Password hash from another system: bcrypt, argon2id, scrypt, pbkdf2 (including the Django format) or fbscrypt (Firebase). Replaced with a Gatehouse hash at the next sign-in',
    optional: true,
    isValid: (text) => importedHashProblem(text) === null,
    message: ({ value }) => `passwordHash ${importedHashProblem(String(value))}`,
  })
  passwordHash?: string;

  @BooleanField({
    description: 'True if the customer has proven ownership of the email address',
    optional: true,
  })
  emailVerified?: boolean;

  @CustomerMfaField() mfa?: CustomerMfaPolicy;

  @MetadataField({
    description: 'Readable only with a secret key. Null means an empty object',
    nullable: true,
  })
  metadata?: Record<string, unknown> | null;
  @MetadataField({ description: 'Also readable by the customer. Null means an empty object', nullable: true })
  publicMetadata?: Record<string, unknown> | null;

  @BooleanField({
    description: 'If true, the customer receives an email with a link to set the first password',
    optional: true,
  })
  sendInvite?: boolean;
}
