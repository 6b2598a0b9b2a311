import { CodeChallengeField, ExchangeFields } from '../../sign-in/dto/exchange.fields.js';
import { LocaleField, SecretField, TextField } from '../../http/input/fields.js';
import { urlSchema } from '../../http/input/text-schemas.js';

/** Begins a flow with a provider. */
export class OAuthTargetRequest {
  @TextField({
    description:
      "URL that the browser returns to, with `code` or `error` in its query. Must match an entry of the project's redirectUrls",
    example: 'https://app.example.com/signed-in',
    maxLength: urlSchema.maxLength,
    schema: urlSchema,
  })
  redirectUrl!: string;

  @CodeChallengeField()
  codeChallenge!: string;
}

export class BeginOAuthRequest extends OAuthTargetRequest {
  @TextField({
    description:
      'Returned unchanged in the query of the redirect URL, so that the client can recognize its own sign-in',
    optional: true,
    minLength: 1,
    maxLength: 512,
  })
  state?: string;
}

export class IdTokenRequest {
  @SecretField({ description: 'The id token that the app has received from the provider', maxLength: 16_384 })
  idToken!: string;
  @SecretField({
    description:
      'The nonce that the app has sent to the provider, exactly as the id token contains it. Required if the provider has `requireNonce`. Without it, any nonce in the token is ignored',
    optional: true,
    maxLength: 512,
  })
  nonce?: string;
  @LocaleField({ description: 'Preferred language of a customer that the sign-in creates, as a BCP 47 tag' })
  locale?: string | null;
}

/** Completes a link or a reauthentication that a signed-in customer has begun with a provider. */
export class ProviderCodeRequest extends ExchangeFields {}
