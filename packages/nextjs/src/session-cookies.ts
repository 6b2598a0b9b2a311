import type { CustomerSummary } from '@gatehouse/js';
import type { ResolvedOptions } from './options.js';
import { decodeBase64Url, encodeBase64Url, readClaims, type TokenClaims } from './token-claims.js';

/** The session in a request's cookies. Nothing in it is verified. */
export interface CookieSession {
  accessToken: string | null;
  /** The access token's claims, or null. */
  claims: TokenClaims | null;
  refreshToken: string | null;
  /** The customer as of the last sign-in or refresh, for display. */
  customer: CustomerSummary | null;
  /** True if the handler refreshed this browser's tokens within the last ten seconds. */
  isJustRefreshed: boolean;
}

/** The values to store. Undefined leaves a cookie unchanged, and null removes it. */
export interface CookieChanges {
  accessToken?: string | null;
  refreshToken?: string | null;
  customer?: CustomerSummary | null;
  isJustRefreshed?: true;
}

/**
 * Cookie lifetime in seconds: the maximum session lifetime (`refreshAbsoluteTtl`). Gatehouse ends shorter sessions
 * itself.
 */
const LIFETIME = 90 * 86_400;
/**
 * If a page requires another refresh within this many seconds, the browser has not stored the cookies, and the page
 * fails.
 */
const JUST_REFRESHED = 10;

/**
 * Maximum length of a cookie value. Browsers ignore a cookie whose name and value exceed 4,096 bytes, and some also
 * count the attributes.
 */
const MAX_VALUE = 3_800;

const NAMES = {
  accessToken: 'gatehouse-access',
  refreshToken: 'gatehouse-refresh',
  customer: 'gatehouse-customer',
  isJustRefreshed: 'gatehouse-refreshed',
};

/** Returns true if the request was sent over https. Next.js adds X-Forwarded-Proto unless a proxy has set it. */
export function isSecure(
  { secureCookies }: Pick<ResolvedOptions, 'secureCookies'>,
  headers: Headers,
): boolean {
  return secureCookies ?? headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https';
}

/** Returns the session in a request's cookies. */
export function readCookies(
  options: Pick<ResolvedOptions, 'secureCookies'>,
  headers: Headers,
): CookieSession {
  const values = new Map(parseCookies(headers).reverse());
  const secure = isSecure(options, headers);
  const read = (name: string): string | null => readValue(values, fullName(name, secure));
  const accessToken = read(NAMES.accessToken);
  return {
    accessToken,
    claims: accessToken ? readClaims(accessToken) : null,
    refreshToken: read(NAMES.refreshToken),
    customer: parseCustomer(read(NAMES.customer)),
    isJustRefreshed: read(NAMES.isJustRefreshed) !== null,
  };
}

/** Returns the Set-Cookie values for changes. */
export function serializeCookies(
  options: Pick<ResolvedOptions, 'secureCookies'>,
  headers: Headers,
  changes: CookieChanges,
): string[] {
  const secure = isSecure(options, headers);
  return splitChanges(headers, secure, changes).map(([name, value]) => {
    const maxAge = name === fullName(NAMES.isJustRefreshed, secure) ? JUST_REFRESHED : LIFETIME;
    return [
      `${name}=${value ?? ''}`,
      'Path=/',
      `Max-Age=${value ? maxAge : 0}`,
      'HttpOnly',
      'SameSite=Lax',
      ...(secure ? ['Secure'] : []),
    ].join('; ');
  });
}

/** Returns the Cookie header with changes applied, so that the current render reads the new tokens. */
export function changedCookieHeader(
  options: Pick<ResolvedOptions, 'secureCookies'>,
  headers: Headers,
  changes: CookieChanges,
): string {
  const changed = splitChanges(headers, isSecure(options, headers), changes);
  const names = new Set(changed.map(([name]) => name));
  const kept = parseCookies(headers).filter(([name]) => !names.has(name));
  return [...kept, ...changed.filter(([, value]) => value)].map((pair) => pair.join('=')).join('; ');
}

/** The changes that sign a browser out. */
export const signedOut: CookieChanges = { accessToken: null, refreshToken: null, customer: null };

/** Returns the cookies to set for changes, and the request's cookies to remove, which have the value null. */
function splitChanges(
  headers: Headers,
  secure: boolean,
  changes: CookieChanges,
): [name: string, value: string | null][] {
  const present = parseCookies(headers).map(([name]) => name);
  return serializeChanges(changes).flatMap(([shortName, value]) => {
    const name = fullName(shortName, secure);
    const stored = value ? splitValue(name, value) : [];
    const isStored = (other: string): boolean => stored.some(([each]) => each === other);
    const replaced = present.filter((other) => isPartOf(name, other) && !isStored(other));
    const removed = new Set(value ? replaced : [name, ...replaced]);
    return [...stored, ...[...removed].map((other): [string, null] => [other, null])];
  });
}

/** Returns one cookie, or several with the suffixes `.0`, `.1` and so on if the value is too long for one. */
function splitValue(name: string, value: string): [name: string, value: string][] {
  if (value.length <= MAX_VALUE) return [[name, value]];
  const count = Math.ceil(value.length / MAX_VALUE);
  return Array.from({ length: count }, (_, index) => [
    `${name}.${index}`,
    value.slice(index * MAX_VALUE, (index + 1) * MAX_VALUE),
  ]);
}

const isPartOf = (name: string, other: string): boolean =>
  other === name || (other.startsWith(`${name}.`) && /^\d+$/.test(other.slice(name.length + 1)));

/**
 * Returns the value of a cookie that may be split. Two concurrent responses can leave parts of different values behind.
 * Together, they are an invalid token, so the session is refreshed, and the parts are replaced.
 */
function readValue(values: Map<string, string>, name: string): string | null {
  const parts: string[] = [];
  for (let part = values.get(`${name}.0`); part; part = values.get(`${name}.${parts.length}`))
    parts.push(part);
  return values.get(name) || parts.join('') || null;
}

function serializeChanges(changes: CookieChanges): [name: string, value: string | null][] {
  const { accessToken, refreshToken, customer, isJustRefreshed } = changes;
  const values: [string, string | null | undefined][] = [
    [NAMES.accessToken, accessToken],
    [NAMES.refreshToken, refreshToken],
    [NAMES.customer, customer && encodeBase64Url(JSON.stringify(customer))],
    [NAMES.isJustRefreshed, isJustRefreshed && '1'],
  ];
  return values.filter((entry): entry is [string, string | null] => entry[1] !== undefined);
}

/**
 * Adds `__Host-`, which browsers accept only from this host over https, so that no other subdomain can set the cookie.
 */
const fullName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name);

/**
 * Returns a request's cookies. Removes only spaces before names: `trim` would also remove characters such as
 * U+00A0, and any subdomain can set a cookie named U+00A0 followed by `__Host-…`.
 */
function parseCookies(headers: Headers): [name: string, value: string][] {
  const pairs = (headers.get('cookie') ?? '').split(/; */).filter((pair) => pair.includes('='));
  return pairs.map((pair) => {
    const end = pair.indexOf('=');
    return [pair.slice(0, end), pair.slice(end + 1)];
  });
}

function parseCustomer(value: string | null): CustomerSummary | null {
  try {
    const customer = JSON.parse(decodeBase64Url(value ?? '')) as Partial<CustomerSummary> | null;
    return typeof customer?.id === 'string' ? (customer as CustomerSummary) : null;
  } catch {
    return null;
  }
}
