import { isCodeChallenge } from '@gatehouse/domain';
import { CheckedField, EmailField, LocaleField, SecretField } from '../../http/fields.js';
import { RedirectUrlField } from '../../one-time-tokens/dto/email-link.request.js';

export class EmailCodeRequest {
  @EmailField() email!: string;
  @RedirectUrlField(
    'URL that the link in the email leads to; without it, the email has no link. Requires `codeChallenge`',
  )
  redirectUrl?: string;
  @CheckedField({
    description:
      'SHA-256 hash of the verifier of the client, in base64url (RFC 7636, S256). Requires `redirectUrl`',
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    optional: true,
    schema: { pattern: '^[A-Za-z0-9_-]{43}$' },
    isValid: isCodeChallenge,
    message: '$property must be a SHA-256 hash in base64url: 43 characters',
  })
  codeChallenge?: string;
}

export class VerifyEmailCodeRequest {
  @SecretField({ description: 'Token of the challenge', maxLength: 4096 }) token!: string;
  @SecretField({ description: 'Code from the email', example: '294017', maxLength: 64 }) code!: string;
  @LocaleField({ description: 'Preferred language of a customer that this creates, as a BCP 47 tag' })
  locale?: string | null;
}
