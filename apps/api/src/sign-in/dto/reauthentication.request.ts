import { CheckedField, SecretField } from '../../http/input/fields.js';
import {
  PasskeyAssertionField,
  type PasskeyAssertionRequest,
} from '../../passkeys/dto/passkey-response.fields.js';

const methods = ['password', 'totp', 'passkey', 'recovery_code', 'email_code'] as const;
const methodsWithOptions = ['passkey', 'email_code'] as const;

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
    description:
      'Code from the authenticator app, recovery code, or code from the email, for the methods `totp`, `recovery_code` and `email_code`',
    optional: true,
    maxLength: 100,
  })
  code?: string;

  @PasskeyAssertionField({ optional: true }) response?: PasskeyAssertionRequest;
}

export class ReauthenticationOptionsRequest {
  @CheckedField({
    description: 'How the customer will prove their identity',
    values: methodsWithOptions,
    isValid: (text) => (methodsWithOptions as readonly string[]).includes(text),
    message: `method must be ${methodsWithOptions.join(', ')}`,
  })
  method!: (typeof methodsWithOptions)[number];
}
