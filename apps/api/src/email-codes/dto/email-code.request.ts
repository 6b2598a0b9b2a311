import { CodeChallengeField } from '../../sign-in/dto/exchange.fields.js';
import { EmailField, LocaleField, SecretField } from '../../http/input/fields.js';
import { RedirectUrlField } from '../../one-time-tokens/dto/email-link.fields.js';

export class EmailCodeRequest {
  @EmailField() email!: string;
  @RedirectUrlField(
    'URL that the link in the email redirects to. Without it, the email contains no link. Requires `codeChallenge`',
  )
  redirectUrl?: string;
  @CodeChallengeField({ optional: true, note: '. Requires `redirectUrl`' })
  codeChallenge?: string;
}

export class VerifyEmailCodeRequest {
  @SecretField({ description: 'Token of the challenge', maxLength: 4096 }) token!: string;
  @SecretField({ description: 'Code from the email', example: '294017', maxLength: 64 }) code!: string;
  @LocaleField({
    description: 'Preferred language of the customer if this request creates one, as a BCP 47 tag',
  })
  locale?: string | null;
}
