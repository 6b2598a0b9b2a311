import { isCodeChallenge } from '@gatehouse/domain';
import { CheckedField, SecretField } from '../../http/input/fields.js';
import { urlSchema } from '../../http/input/text-schemas.js';

/** Fields that prove that the client exchanging a code is the one that requested it (RFC 7636). */
export class ExchangeFields {
  @SecretField({ description: 'Code from the query of the redirect URL', maxLength: 4096 }) code!: string;
  @SecretField({
    description: 'The verifier for the `codeChallenge` sent when the sign-in started (RFC 7636)',
    maxLength: 128,
  })
  codeVerifier!: string;
  @SecretField({
    description: 'The `redirectUrl` sent when the sign-in started',
    example: 'https://app.example.com/welcome',
    maxLength: urlSchema.maxLength,
    schema: urlSchema,
  })
  redirectUrl!: string;
}

/**
 * The hash of the client's verifier.
 * @param options `note` is added to the description
 */
export const CodeChallengeField = ({ optional = false, note = '' } = {}): PropertyDecorator =>
  CheckedField({
    description: `SHA-256 hash of the client's code verifier, base64url-encoded (RFC 7636, S256)${note}`,
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    optional,
    schema: { pattern: '^[A-Za-z0-9_-]{43}$' },
    isValid: isCodeChallenge,
    message: '$property must be a SHA-256 hash in base64url: 43 characters',
  });
