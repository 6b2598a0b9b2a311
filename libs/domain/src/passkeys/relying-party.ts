import { getDomain } from 'tldts';
import type { FieldError } from '../errors/gatehouse-error.js';
import { isPageOrigin } from '../urls/page-url.js';
import { parseValidUrl } from '../urls/parse-url.js';

/** The project setting `passkeys`. */
export interface PasskeySettings {
  /** The domain to which passkeys are bound. */
  rpId: string;
  /** The name that browsers display; null for the project name. */
  rpName: string | null;
  /** Origins of pages and Android apps that can use the passkeys. */
  origins: string[];
}

/** The site or app to which passkeys are bound. */
export interface RelyingParty {
  id: string;
  name: string;
  /** null allows every page on the local machine. */
  origins: string[] | null;
}

/** The domain that is used outside production if the project has none. */
const DEVELOPMENT_RP_ID = 'localhost';

const hostNamePattern =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const androidOriginPattern = /^android:apk-key-hash:[A-Za-z0-9_-]{43}$/;
const localOriginPattern = /^https?:\/\/localhost(:\d{1,5})?$/;

/**
 * Returns whether passkeys can be bound to this string: a domain name in lowercase or `localhost`, not an IP address.
 */
export const isRpId = (text: string): boolean =>
  hostNamePattern.test(text) && (text.includes('.') || text === DEVELOPMENT_RP_ID);

/**
 * Returns whether a project's passkeys can be bound to this domain. A public suffix is rejected because anyone can
 * register a domain under it. Browsers would offer such passkeys only on a page at the suffix itself.
 */
export const isProjectRpId = (text: string): boolean =>
  isRpId(text) && (text === DEVELOPMENT_RP_ID || getDomain(text, { allowPrivateDomains: true }) !== null);

/**
 * Returns whether passkeys can be used from this origin: an https page with a domain name, an http page on localhost,
 * or an Android app.
 */
export const isPasskeyOrigin = (text: string): boolean =>
  androidOriginPattern.test(text) ||
  localOriginPattern.test(text) ||
  (isPageOrigin(text) && text.startsWith('https:') && isRpId(parseValidUrl(text).hostname));

/** Returns the domain for a project's passkeys, or null if passkeys are disabled. */
export const effectiveRpId = (
  passkeys: PasskeySettings | null,
  { production }: { production: boolean },
): string | null => passkeys?.rpId ?? (production ? null : DEVELOPMENT_RP_ID);

/** Returns whether a passkey can be used from an origin, as recorded by the browser or the operating system. */
export const isAllowedOrigin = ({ origins }: RelyingParty, origin: string): boolean =>
  origins ? origins.includes(origin) : localOriginPattern.test(origin);

/** Returns the origins that are web pages. Browsers allow them as related origins (WebAuthn, section 5.11). */
export const webOrigins = (origins: string[]): string[] =>
  origins.filter((origin) => !androidOriginPattern.test(origin));

/** Returns the errors in the merged setting. The individual fields must already be valid. */
export function passkeySettingsErrors({ rpId, origins }: PasskeySettings): FieldError[] {
  const errors: FieldError[] = [];
  if (rpId === '') errors.push(fieldError('rpId', 'required', 'is required'));
  if (origins.length === 0)
    errors.push(fieldError('origins', 'required', 'must contain at least one origin'));
  const isLocal = rpId === DEVELOPMENT_RP_ID;
  if (!isLocal && origins.some((origin) => origin.startsWith('http:')))
    errors.push(fieldError('origins', 'invalid', 'must use https unless rpId is localhost'));
  return errors;
}

const fieldError = (name: keyof PasskeySettings, code: string, problem: string): FieldError => ({
  field: `settings.passkeys.${name}`,
  code,
  message: `${name} ${problem}`,
});
