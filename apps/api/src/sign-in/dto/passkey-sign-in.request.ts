import {
  PasskeyAssertionField,
  type PasskeyAssertionRequest,
} from '../../passkeys/dto/passkey-response.fields.js';

export class PasskeySignInRequest {
  @PasskeyAssertionField() response!: PasskeyAssertionRequest;
}
