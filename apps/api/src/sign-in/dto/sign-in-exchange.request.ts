import { LocaleField, SecretField } from '../../http/fields.js';
import { urlSchema } from '../../http/text-schemas.js';

export class ExchangeRequest {
  @SecretField({ description: 'Code from the query of the redirect URL', maxLength: 4096 }) code!: string;
  @SecretField({
    description: 'The verifier of the `codeChallenge` with which the client began the sign-in (RFC 7636)',
    maxLength: 128,
  })
  codeVerifier!: string;
  @SecretField({
    description: 'The `redirectUrl` with which the client began the sign-in',
    example: 'https://app.example.com/welcome',
    maxLength: urlSchema.maxLength,
    schema: urlSchema,
  })
  redirectUrl!: string;
  @LocaleField({ description: 'Preferred language of a customer that this creates, as a BCP 47 tag' })
  locale?: string | null;
}
