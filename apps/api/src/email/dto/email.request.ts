import { LinkTokenField } from '../../one-time-tokens/dto/email-link.fields.js';

export class VerifyEmailRequest {
  @LinkTokenField() token!: string;
}

export class DisownRequest extends VerifyEmailRequest {}

export class ConfirmEmailChangeRequest extends VerifyEmailRequest {}
