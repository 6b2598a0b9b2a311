import { CheckedField, EmailField, NameField, SecretField, TextField } from '../../http/fields.js';
import { logoutScopes, type LogoutScope } from '../../sessions/sessions.service.js';

const RedirectUrlField = (): PropertyDecorator =>
  TextField({
    description: "Where the hosted page's Continue leads; exactly one of the project's redirectUrls",
    optional: true,
    maxLength: 2048,
  });

const tokenField = { description: 'The token of the e-mailed link', maxLength: 4096 };

const passwordField = {
  description: '8 to 128 characters of any kind',
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
  @SecretField({ ...passwordField, description: "The customer's password" }) password!: string;
}

export class RefreshRequest {
  @SecretField({ description: 'The newest refresh token of the session', maxLength: 4096 })
  refreshToken!: string;
}

export class LogoutRequest {
  static readonly bodyIsOptional = true;

  @CheckedField({
    description: 'The session of the access token, the others, or all; default: this',
    optional: true,
    values: logoutScopes,
    isValid: (text) => (logoutScopes as readonly string[]).includes(text),
    message: `scope must be one of ${logoutScopes.join(', ')}`,
  })
  scope?: LogoutScope;
}

export class VerifyEmailRequest {
  @SecretField(tokenField) token!: string;
}

export class ConfirmEmailChangeRequest extends VerifyEmailRequest {}

/** Asks for a mail with a link. */
export class LinkRequest {
  @EmailField() email!: string;
  @RedirectUrlField() redirectUrl?: string;
}

export class ResetPasswordRequest {
  @SecretField(tokenField) token!: string;
  @SecretField(passwordField) password!: string;
}
