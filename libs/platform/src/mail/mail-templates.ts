import {
  FALLBACK_LANGUAGE,
  fillMailText,
  resolveBrand,
  toSingleLine,
  type Branding,
  type MailText,
} from '@gatehouse/domain';
import { now } from '../clock/clock.js';
import type { Keyring } from '../crypto/keyring.js';
import { mailTtl, mailPath, pageLink, type MailKind } from './mail-kinds.js';
import { renderHtml, renderText } from './mail-layout.js';
import { builtInMailText } from './mail-texts.js';
import { operatorNoticeText, type OperatorNotice } from './operator-notices.js';
import type { OutgoingMail } from './mailer.js';

/**
 * An email's variable content, as of the commit that caused it. It is encrypted and stored until the email is
 * sent.
 */
export interface MailParameters {
  projectName: string;
  /** The token in the link; undefined for notices and codes without a link. */
  token?: string;
  /** The code; only for `email-code` and `reauthentication-code`. */
  code?: string;
  /** The project's own page that the link opens; null or undefined for the hosted page. */
  pageUrl?: string | null;
  branding?: Branding;
  fromName?: string | null;
  replyTo?: string | null;
  /** The customer's new email address; only for `change-email-*`. */
  newEmail?: string;
  /**
   * The email's language; undefined for English. Workers of version 0.1.0 ignore this field and `text`, but would
   * fail on a field named `language` with a value other than `en`.
   */
  locale?: string;
  /** The project's own template in this language; undefined for the built-in one. */
  text?: MailText;
  /** The action; only for `operator-notice`. */
  notice?: OperatorNotice;
}

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
 * The stored parameters, with the time of the event that caused the email. Rows from versions without notices do not
 * contain the time.
 */
type SealedParameters = MailParameters & { at?: string };

/** Encrypts an email's parameters. Only an email with the same id can be rendered from them. */
export function sealMailParameters(keyring: Keyring, mailId: string, parameters: MailParameters): Buffer {
  const sealed: SealedParameters = { ...parameters, at: now().toISOString() };
  return keyring.encrypt('mail-parameters', mailId, JSON.stringify(sealed));
}

/**
 * Renders a stored email. `publicUrl` is the base of the link, and always comes from the configuration (requirement
 * EV-05).
 * @throws UnreadableValueError if the parameters cannot be decrypted; Error if they lack a token that the kind requires
 */
export function renderMail(mail: StoredMail, keyring: Keyring, publicUrl: string): RenderedMail {
  const plain = keyring.decrypt('mail-parameters', mail.id, mail.parameters);
  return renderMailContent(mail, JSON.parse(plain) as SealedParameters, publicUrl);
}

/**
 * Renders an email from its parameters.
 * @throws Error if they lack a token that the kind requires
 */
export function renderMailContent(
  { kind, recipient }: Pick<StoredMail, 'kind' | 'recipient'>,
  parameters: SealedParameters,
  publicUrl: string,
): RenderedMail {
  const {
    locale = FALLBACK_LANGUAGE,
    newEmail = recipient,
    code = '',
    fromName = null,
    replyTo = null,
    at,
  } = parameters;
  const brand = resolveBrand(parameters.projectName, parameters.branding);
  const time = at ? formatTime(locale, new Date(at)) : '';
  const text = parameters.notice
    ? operatorNoticeText(brand.name, time, parameters.notice)
    : fillMailText(
        parameters.text ?? builtInMailText(kind, locale) ?? builtInMailText(kind, FALLBACK_LANGUAGE)!,
        {
          project_name: brand.name,
          email: recipient,
          new_email: newEmail,
          link_validity: formatDuration(locale, mailTtl(kind)),
          code,
          code_validity: formatDuration(locale, mailTtl(kind)),
          time,
        },
      );
  const link = buildLink(kind, parameters, publicUrl);
  const content = { ...text, language: locale, brand, link };
  return {
    to: recipient,
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
  if (!token && kind === 'email-code') return null;
  if (!token) throw new Error(`an email of kind ${kind} has no token`);
  if (!pageUrl) return pageLink(publicUrl, path, token);
  const url = new URL(pageUrl);
  url.searchParams.set('token', token);
  return url.href;
}

/** Formats a duration, such as "10 minutes", "1 hour" or "7 days". */
function formatDuration(language: string, seconds: number): string {
  const hours = seconds / 3600;
  const [value, unit] =
    hours > 48 ? [hours / 24, 'day'] : hours < 1 ? [seconds / 60, 'minute'] : [hours, 'hour'];
  return new Intl.NumberFormat(localesFor(language), { style: 'unit', unit, unitDisplay: 'long' }).format(
    value,
  );
}

/**
 * Formats a time in UTC. The month is a word, because 1/2 means different days in different countries.
 * @param language a BCP 47 tag
 */
export function formatTime(language: string, at: Date): string {
  const format = new Intl.DateTimeFormat(localesFor(language), {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  });
  return `${format.format(at)} UTC`;
}

/** Without the second language, Intl would use the server's language for an unknown one. */
const localesFor = (language: string): string[] => [language, FALLBACK_LANGUAGE];
