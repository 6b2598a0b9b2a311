import { CheckedField, EmailField, NameField, SecretField, TextField } from '../../http/fields.js';
import { logoutScopes, type LogoutScope } from '../../sessions/sessions.service.js';

const RedirectUrlField = (): PropertyDecorator =>
  TextField({
    description:
      "URL that the Continue button of the hosted page links to. Must exactly match an entry of the project's redirectUrls",
    optional: true,
    maxLength: 2048,
  });

const tokenField = { description: 'Token from the link in the email', maxLength: 4096 };

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

export class VerifyEmailRequest {
  @SecretField(tokenField) token!: string;
}

export class ConfirmEmailChangeRequest extends VerifyEmailRequest {}

/** Asks for a mail with a link. */
export class EmailLinkRequest {
  @EmailField() email!: string;
  @RedirectUrlField() redirectUrl?: string;
}

export class ResetPasswordRequest {
  @SecretField(tokenField) token!: string;
  @SecretField(passwordField) password!: string;
}
