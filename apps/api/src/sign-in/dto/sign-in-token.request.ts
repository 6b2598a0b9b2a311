import { SecretField, TextField } from '../../http/fields.js';

export class CreateSignInTokenRequest {
  @TextField({
    description:
      'Why the holder of the token signs in as the customer. Recorded in the audit log, so it must not contain personal data',
    example: 'Ticket 4711: order cannot be cancelled',
    minLength: 1,
    maxLength: 500,
  })
  reason!: string;
}

export class SignInTokenRequest {
  @SecretField({ description: 'Token that a secret key has created', maxLength: 4096 }) token!: string;
}
