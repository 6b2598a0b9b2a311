import { resolveBrand, toSingleLine, type Branding } from '@gatehouse/domain';
import { now } from '../clock/clock.js';
import type { Keyring } from '../crypto/keyring.js';
import { mailTtl, mailPath, pageLink, type MailKind } from './mail-kinds.js';
import { renderHtml, renderText } from './mail-layout.js';
import { mailTexts, type MailLanguage } from './mail-texts.js';
import type { OutgoingMail } from './mailer.js';

/** What a mail says, as it stands when its cause commits; kept encrypted until it is sent. */
export interface MailParameters {
  projectName: string;
  /** In the link; absent for notices. */
  token?: string;
  /** The project's own page for the link; null or absent: the hosted page. */
  pageUrl?: string | null;
  branding?: Branding;
  fromName?: string | null;
  replyTo?: string | null;
  /** `change-email-*`: the address that shall become the customer's. */
  newEmail?: string;
  language?: MailLanguage;
}

/** A mail as it is stored: whom it goes to, and its encrypted parameters. */
export interface StoredMail {
  id: string;
  kind: MailKind;
  recipient: string;
  /** Encrypted by `sealMailParameters`; blanked once the mail is sent. */
  parameters: Buffer;
}

export interface RenderedMail extends OutgoingMail {
  /** Null for notices. */
  link: string | null;
}

/** With the time of writing, which is that of the cause. Rows from before there were notices have none. */
type SealedParameters = MailParameters & { at?: string };

/** Encrypts the parameters of a mail; only a mail of the same id can be rendered with them. */
export function sealMailParameters(keyring: Keyring, mailId: string, parameters: MailParameters): Buffer {
  const sealed: SealedParameters = { ...parameters, at: now().toISOString() };
  return keyring.encrypt('mail-parameters', mailId, JSON.stringify(sealed));
}

/**
 * Renders a stored mail. `publicUrl` is the base of its link: always the configured one (requirement EV-05).
 * @throws Error for parameters that were changed or moved from another mail, or lack the token of their kind
 */
export function renderMail(mail: StoredMail, keyring: Keyring, publicUrl: string): RenderedMail {
  const plain = keyring.decrypt('mail-parameters', mail.id, mail.parameters);
  const parameters = JSON.parse(plain) as SealedParameters;
  const { language = 'en', newEmail = mail.recipient, fromName = null, replyTo = null, at } = parameters;
  const brand = resolveBrand(parameters.projectName, parameters.branding);
  const { openLinkLabel, mails } = mailTexts[language];
  const text = mails[mail.kind]({
    name: brand.name,
    email: mail.recipient,
    newEmail,
    linkValidity: formatDuration(language, mailTtl(mail.kind)),
    at: at ? formatTime(language, at) : '',
  });
  const link = buildLink(mail.kind, parameters, publicUrl);
  const content = { ...text, language, brand, link, openLinkLabel };
  return {
    to: mail.recipient,
    subject: text.subject,
    text: renderText(content),
    html: renderHtml(content),
    link,
    fromName: fromName && (toSingleLine(fromName) || null),
    replyTo,
  };
}

function buildLink(kind: MailKind, { token, pageUrl }: MailParameters, publicUrl: string): string | null {
  const path = mailPath(kind);
  if (!path) return null;
  if (!token) throw new Error(`an email of kind ${kind} has no token`);
  if (!pageUrl) return pageLink(publicUrl, path, token);
  const url = new URL(pageUrl);
  url.searchParams.set('token', token);
  return url.href;
}

/** Such as "1 hour" or "7 days". */
function formatDuration(language: MailLanguage, seconds: number): string {
  const hours = seconds / 3600;
  const [value, unit] = hours > 48 ? [hours / 24, 'day'] : [hours, 'hour'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** A day in words, because 1/2 is another day elsewhere. */
function formatTime(language: MailLanguage, at: string): string {
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  });
  return `${format.format(new Date(at))} UTC`;
}
