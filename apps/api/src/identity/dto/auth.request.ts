import { EmailField, SecretField, TextField } from '../../http/fields.js';

const passwordField = {
  description: '8 to 128 characters of any kind',
  example: 'an unusual long phrase',
  maxLength: 1024,
};

export class RegisterRequest {
  @EmailField() email!: string;
  @SecretField(passwordField) password!: string;

  @TextField({ description: 'Given name', example: 'Ada', optional: true, nullable: true, maxLength: 100 })
  firstName?: string | null;

  @TextField({
    description: 'Family name',
    example: 'Lovelace',
    optional: true,
    nullable: true,
    maxLength: 100,
  })
  lastName?: string | null;

  @TextField({
    description: "Where the verification page's Continue leads; exactly one of the project's redirectUrls",
    optional: true,
    maxLength: 2048,
  })
  redirectUrl?: string;
}

export class LoginRequest {
  @EmailField() email!: string;
  @SecretField({ ...passwordField, description: "The customer's password" }) password!: string;
}

export class RefreshRequest {
  @SecretField({ description: 'The newest refresh token of the session', maxLength: 4096 })
  refreshToken!: string;
}

export class VerifyEmailRequest {
  @SecretField({ description: 'The token of the e-mailed link', maxLength: 4096 }) token!: string;
}
