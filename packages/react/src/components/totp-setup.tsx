'use client';
import type { TotpSecret } from '@gatehouse/js';
import { useTexts } from '../use-texts.js';
import { CodeField } from './form.js';
import { QrCode } from './qr-code.js';

/** Shows the secret for a new authenticator app, with a field for its first code. */
export function TotpSetup({ secret: { qrCode, secret } }: { secret: TotpSecret }) {
  const texts = useTexts();
  return (
    <>
      <QrCode svg={qrCode} label={texts.qrCode} />
      <p className="gh-text">
        {texts.secret} <code>{groupLetters(secret)}</code>
      </p>
      <CodeField label={texts.totpCode} />
    </>
  );
}

/** Splits a secret into groups of four letters, which are easier to type. */
const groupLetters = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');
