import { SecretField } from '../../http/input/fields.js';

/** A change that requires a recent proof of identity or the password. */
export class FreshProofRequest {
  @SecretField({
    description:
      "The customer's password, if they have not proved their identity within the last ten minutes",
    optional: true,
    maxLength: 1024,
  })
  password?: string;
}

export class ConfirmTotpRequest {
  @SecretField({ description: 'Code of the new authenticator', maxLength: 100 }) code!: string;
}
