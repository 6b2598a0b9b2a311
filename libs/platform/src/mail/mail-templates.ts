import { resolveBrand, toSingleLine, type Branding } from '@gatehouse/domain';
import { now } from '../clock/clock.js';
import type { Keyring } from '../crypto/keyring.js';
import { mailTtl, mailPath, pageLink, type MailKind } from './mail-kinds.js';
import { renderHtml, renderText } from './mail-layout.js';
import { mailTexts, type MailLanguage } from './mail-texts.js';
import type { OutgoingMail } from './mailer.js';

/**
 * The variable content of an email, as of the commit of its cause. It is stored encrypted until the email is
 * sent.
 */
export interface MailParameters {
  projectName: string;
  /** The token in the link; undefined for notices. */
  token?: string;
  /** The project's own page for the link; if null or undefined, the link opens the hosted page. */
  pageUrl?: string | null;
  branding?: Branding;
  fromName?: string | null;
  replyTo?: string | null;
  /** For `change-email-*`: the new address of the customer. */
  newEmail?: string;
  language?: MailLanguage;
}

/** A stored email: its recipient and its encrypted parameters. */
export interface StoredMail {
  id: string;
  kind: MailKind;
  recipient: string;
  /** Encrypted by `sealMailParameters`; erased after the email is sent. */
  parameters: Buffer;
}

export interface RenderedMail extends OutgoingMail {
  /** Null for notices. */
  link: string | null;
}

/**
 * Parameters with the time of writing, which is the time of the cause. Rows that are older than notices have
 * none.
 */
type SealedParameters = MailParameters & { at?: string };

/** Encrypts the parameters of an email. They can only be used to render an email with the same id. */
export function sealMailParameters(keyring: Keyring, mailId: string, parameters: MailParameters): Buffer {
  const sealed: SealedParameters = { ...parameters, at: now().toISOString() };
  return keyring.encrypt('mail-parameters', mailId, JSON.stringify(sealed));
}

/**
 * Renders a stored email. `publicUrl` is the base of its link and always comes from the configuration
 * (requirement EV-05).
 * @throws Error for parameters that were modified, belong to another email, or lack the token of their kind
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

/** Returns a duration such as "1 hour" or "7 days". */
function formatDuration(language: MailLanguage, seconds: number): string {
  const hours = seconds / 3600;
  const [value, unit] = hours > 48 ? [hours / 24, 'day'] : [hours, 'hour'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** Writes the month as a word, because 1/2 is a different day in other countries. */
function formatTime(language: MailLanguage, at: string): string {
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  });
  return `${format.format(new Date(at))} UTC`;
}
