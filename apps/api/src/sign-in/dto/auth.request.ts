import { IntersectionType } from '@nestjs/swagger';
import { CustomerProfileFields } from '../../customers/dto/customer.fields.js';
import { CheckedField, EmailField, SecretField } from '../../http/input/fields.js';
import { RedirectUrlField } from '../../one-time-tokens/dto/email-link.fields.js';
import { logoutScopes, type LogoutScope } from '../../sessions/sessions.service.js';

const passwordField = {
  description: '8 to 128 characters; any character is allowed',
  example: 'an unusual long phrase',
  maxLength: 1024,
};

class NewCredentials {
  @EmailField() email!: string;
  @SecretField(passwordField) password!: string;
}

class VerificationLink {
  @RedirectUrlField() redirectUrl?: string;
}

export class RegisterRequest extends IntersectionType(
  NewCredentials,
  CustomerProfileFields,
  VerificationLink,
) {}

export class LoginRequest {
  @EmailField() email!: string;
  @SecretField({ ...passwordField, description: 'Password of the customer' }) password!: string;
}

export class RefreshRequest {
  @SecretField({ description: 'Newest refresh token of the session', maxLength: 4096 })
  refreshToken!: string;
}

export class LogoutRequest {
  static readonly bodyIsOptional = true;

  @CheckedField({
    description:
      'Sessions to revoke. `this` (default): the session of the access token. `others`: all other sessions of the customer. `all`: both',
    optional: true,
    values: logoutScopes,
    isValid: (text) => (logoutScopes as readonly string[]).includes(text),
    message: `scope must be one of ${logoutScopes.join(', ')}`,
  })
  scope?: LogoutScope;
}
