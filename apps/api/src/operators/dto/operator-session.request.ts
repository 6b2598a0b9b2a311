import { EmailField, NameField, SecretField } from '../../http/fields.js';

const passwordField = {
  description: '12 to 128 characters of any kind',
  example: 'an unusual long phrase',
  maxLength: 1024,
};

const codeField = { description: 'Six digits of the authenticator', example: '123456', maxLength: 64 };

export class OperatorSignInRequest {
  @EmailField() email!: string;
  @SecretField({ ...passwordField, description: "The operator's password" }) password!: string;
}

export class SecondFactorRequest {
  @SecretField({ ...codeField, description: 'Six digits of the authenticator, or a recovery code' })
  code!: string;
}

export class AuthenticatorCodeRequest {
  @SecretField(codeField) code!: string;
}

export class ChangeOperatorPasswordRequest {
  @SecretField({ ...passwordField, description: 'The password until now' }) currentPassword!: string;
  @SecretField(passwordField) newPassword!: string;
}

export class AcceptInvitationRequest {
  @SecretField({ description: 'The token of the link', maxLength: 4096 }) token!: string;
  @NameField({ description: 'What others see', example: 'Ada Lovelace' }) name?: string | null;
  @SecretField(passwordField) password!: string;
}

export class SetUpRequest extends AcceptInvitationRequest {
  @EmailField() email!: string;
}
