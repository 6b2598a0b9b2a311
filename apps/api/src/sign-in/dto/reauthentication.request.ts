import { CheckedField, SecretField } from '../../http/fields.js';

const methods = ['password', 'totp', 'recovery_code'] as const;

export class ReauthenticateRequest {
  @CheckedField({
    description: 'How the customer proves their identity',
    values: methods,
    isValid: (text) => (methods as readonly string[]).includes(text),
    message: `method must be ${methods.join(', ')}`,
  })
  method!: (typeof methods)[number];

  @SecretField({
    description: 'Password of the customer, for the method `password`',
    optional: true,
    maxLength: 1024,
  })
  password?: string;

  @SecretField({
    description: 'Code of the authenticator app, or a recovery code, for the other methods',
    optional: true,
    maxLength: 100,
  })
  code?: string;
}
