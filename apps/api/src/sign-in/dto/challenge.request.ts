import { SecretField } from '../../http/input/fields.js';
import {
  PasskeyAssertionField,
  PasskeyRegistrationField,
  type PasskeyAssertionRequest,
  type PasskeyRegistrationRequest,
} from '../../passkeys/dto/passkey-response.fields.js';

/** A request that refers to a challenge. */
export class ChallengeRequest {
  @SecretField({ description: 'Token of the challenge', maxLength: 100 }) challengeToken!: string;
}

/** A code that completes a challenge. */
export class ChallengeCodeRequest extends ChallengeRequest {
  @SecretField({ description: 'Code from the authenticator app, or a recovery code', maxLength: 100 })
  code!: string;
}

/** A passkey that completes a challenge. */
export class ChallengePasskeyRequest extends ChallengeRequest {
  @PasskeyAssertionField() response!: PasskeyAssertionRequest;
}

/** A new passkey that completes an enrollment. */
export class EnrollPasskeyRequest extends ChallengeRequest {
  @PasskeyRegistrationField() response!: PasskeyRegistrationRequest;
}
