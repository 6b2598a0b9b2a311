import { CheckedField, EmailField, NameField, SecretField } from '../../http/fields.js';
import { RedirectUrlField } from '../../one-time-tokens/dto/email-link.request.js';
import { logoutScopes, type LogoutScope } from '../../sessions/sessions.service.js';

const passwordField = {
  description: '8 to 128 characters; any character is allowed',
  example: 'an unusual long phrase',
  maxLength: 1024,
};

export class RegisterRequest {
  @EmailField() email!: string;
  @SecretField(passwordField) password!: string;

  @NameField({ description: 'Given name', example: 'Ada' }) firstName?: string | null;
  @NameField({ description: 'Family name', example: 'Lovelace' }) lastName?: string | null;
  @RedirectUrlField() redirectUrl?: string;
}

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
