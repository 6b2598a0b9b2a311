import { BooleanField, CheckedField, EmailField, SecretField } from '../../http/input/fields.js';
import { NameField } from '../../http/input/name-fields.js';

const pathPattern = /^\/[!-~]{0,999}$/;

const passwordField = {
  description: '12 to 128 characters; any character is allowed',
  example: 'an unusual long phrase',
  maxLength: 1024,
};

const codeField = {
  description: 'Six-digit code from the authenticator app',
  example: '123456',
  maxLength: 64,
};

export class OperatorSignInRequest {
  @EmailField() email!: string;
  @SecretField({ ...passwordField, description: 'Password of the operator' }) password!: string;
}

export class SecondFactorRequest {
  @SecretField({ ...codeField, description: 'Six-digit code from the authenticator app, or a recovery code' })
  code!: string;
}

export class AuthenticatorCodeRequest {
  @SecretField(codeField) code!: string;
}

export class BeginSingleSignOnRequest {
  @CheckedField({
    description: 'Path within the console at which the browser continues after the sign-in',
    schema: { type: 'string', pattern: pathPattern.source, example: '/events?type=customer.created' },
    isValid: (text) => pathPattern.test(text),
    message: '$property must be a path of at most 1,000 characters that starts with /',
  })
  to!: string;

  @BooleanField({
    description: 'True if the sign-in opens in a new window, which shows a confirmation when it is done',
  })
  isSeparateWindow!: boolean;
}

export class ChangeOperatorPasswordRequest {
  @SecretField({ ...passwordField, description: 'Current password' }) currentPassword!: string;
  @SecretField(passwordField) newPassword!: string;
}

export class AcceptInvitationRequest {
  @SecretField({ description: 'Token from the link', maxLength: 4096 }) token!: string;
  @NameField({ description: 'Name that other operators see', example: 'Ada Lovelace' }) name?: string | null;
  @SecretField(passwordField) password!: string;
}

export class SetUpRequest extends AcceptInvitationRequest {
  @EmailField() email!: string;
}
