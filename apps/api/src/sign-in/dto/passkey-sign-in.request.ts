import { PasskeyAssertionField, type PasskeyAssertionRequest } from '../../http/passkey-response-fields.js';

export class PasskeySignInRequest {
  @PasskeyAssertionField() response!: PasskeyAssertionRequest;
}
