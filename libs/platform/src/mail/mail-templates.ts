import type { Keyring } from '../crypto/keyring.js';
import type { OutgoingMail } from './mailer.js';

/** What a verification mail says; kept encrypted until it is sent. */
export interface VerifyEmailParameters {
  projectName: string;
  token: string;
}

export interface RenderedMail extends OutgoingMail {
  link: string;
}

/** A mail as it is stored: whom it goes to, and its encrypted parameters. */
export interface StoredMail {
  id: string;
  kind: 'verify-email';
  recipient: string;
  /** Encrypted; blanked once the mail is sent. */
  parameters: Buffer;
}

/** Renders a stored mail. `publicUrl` is the base of its link: always the configured one (requirement EV-05). */
export function renderMail(mail: StoredMail, keyring: Keyring, publicUrl: string): RenderedMail {
  const parameters = JSON.parse(
    keyring.decrypt('mail-parameters', mail.id, mail.parameters),
  ) as VerifyEmailParameters;
  return renderVerifyEmail(mail.recipient, parameters, publicUrl);
}

function renderVerifyEmail(
  to: string,
  { projectName, token }: VerifyEmailParameters,
  publicUrl: string,
): RenderedMail {
  const link = `${publicUrl}/verify-email?token=${token}`;
  const name = escapeHtml(projectName);
  const text = `Please confirm that this is your e-mail address for ${projectName}:

${link}

The link works for 24 hours. If you did not sign up, you can ignore this mail.
`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${name}</title></head>
<body style="font-family: system-ui, sans-serif; line-height: 1.5; max-width: 32rem; margin: 2rem auto; padding: 0 1rem">
<p>Please confirm that this is your e-mail address for <strong>${name}</strong>.</p>
<p><a href="${link}" style="display: inline-block; padding: .7rem 1.4rem; border-radius: .4rem; background: #1d4ed8; color: #ffffff; text-decoration: none">Confirm e-mail address</a></p>
<p>Or open this link: ${link}</p>
<p>The link works for 24 hours. If you did not sign up, you can ignore this mail.</p>
</body></html>
`;
  return { to, subject: `Confirm your e-mail address for ${projectName}`, text, html, link };
}

/** Text made safe inside HTML elements and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
