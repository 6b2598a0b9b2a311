import { SecretField } from '../../http/input/fields.js';
import { LinkTokenField } from '../../one-time-tokens/dto/email-link.fields.js';

export class ResetPasswordRequest {
  @LinkTokenField() token!: string;

  @SecretField({
    description: '8 to 128 characters; any character is allowed',
    example: 'an unusual long phrase',
    maxLength: 1024,
  })
  password!: string;
}
