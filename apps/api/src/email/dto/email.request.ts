import { LinkTokenField } from '../../one-time-tokens/dto/email-link.request.js';

export class VerifyEmailRequest {
  @LinkTokenField() token!: string;
}

export class ConfirmEmailChangeRequest extends VerifyEmailRequest {}
