import { CheckedField, SecretField } from '../../http/fields.js';

const methods = ['password'] as const;

export class ReauthenticateRequest {
  @CheckedField({
    description: 'How the customer proves their identity',
    values: methods,
    isValid: (text) => (methods as readonly string[]).includes(text),
    message: `method must be ${methods.join(', ')}`,
  })
  method!: (typeof methods)[number];

  @SecretField({ description: 'Password of the customer', maxLength: 1024 }) password!: string;
}
