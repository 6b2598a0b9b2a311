import { SecretField } from '../../http/fields.js';

/** A request about a challenge. */
export class ChallengeRequest {
  @SecretField({ description: 'Token of the challenge', maxLength: 100 }) challengeToken!: string;
}

/** A code that completes a challenge. */
export class ChallengeCodeRequest extends ChallengeRequest {
  @SecretField({ description: 'Code of the authenticator app, or a recovery code', maxLength: 100 })
  code!: string;
}
