import { EmailField, LocaleField, SecretField } from '../../http/fields.js';

export class EmailCodeRequest {
  @EmailField() email!: string;
}

export class VerifyEmailCodeRequest {
  @SecretField({ description: 'Token of the challenge', maxLength: 4096 }) token!: string;
  @SecretField({ description: 'Code from the email', example: '294017', maxLength: 64 }) code!: string;
  @LocaleField({ description: 'Preferred language of a customer that this creates, as a BCP 47 tag' })
  locale?: string | null;
}
