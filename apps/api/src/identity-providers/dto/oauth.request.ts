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
      'Returned unchanged in the query of the redirect URL, so that the client can recognize the sign-in that it started',
    optional: true,
    minLength: 1,
    maxLength: 512,
  })
  state?: string;
}

export class IdTokenRequest {
  @SecretField({ description: 'Id token that the app received from the provider', maxLength: 16_384 })
  idToken!: string;
  @SecretField({
    description:
      'Nonce that the app sent to the provider, exactly as in the id token. Required if `requireNonce` is set for the provider. If it is omitted, a nonce in the token is ignored',
    optional: true,
    maxLength: 512,
  })
  nonce?: string;
  @LocaleField({
    description: 'Preferred language of the customer if this request creates one, as a BCP 47 tag',
  })
  locale?: string | null;
}

/** Completes a link or a reauthentication that a signed-in customer has begun with a provider. */
export class ProviderCodeRequest extends ExchangeFields {}
