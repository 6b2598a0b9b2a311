import { SecretField } from '../../http/fields.js';
import { ReasonField } from '../../http/reason-field.js';

export class CreateSignInTokenRequest {
  @ReasonField('Why the holder of the token signs in as the customer')
  reason!: string;
}

export class SignInTokenRequest {
  @SecretField({ description: 'Token that a secret key has created', maxLength: 4096 }) token!: string;
}
