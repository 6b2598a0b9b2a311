import type { FieldError } from '../errors/gatehouse-error.js';

/** An endpoint's custom headers, by lowercase name. */
export type CustomHeaders = Record<string, string>;

export const MAX_CUSTOM_HEADERS = 20;
const MAX_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 1024;

/** Replaces header values in responses. No header can have this value, so a client cannot write it back by mistake. */
export const HIDDEN_VALUE_PLACEHOLDER = '…';

/** RFC 9110, section 5.6.2. */
const HEADER_NAME_PATTERN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, with spaces only in between (RFC 9110, section 5.5). */
const HEADER_VALUE_PATTERN = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Headers that are set by Gatehouse, HTTP or a proxy. A custom value would break the signature or the framing, cause a
 * compressed response, send cookies (requirement WH-05), or impersonate a proxy.
 */
const reservedNames = new Set([
  ...['accept', 'accept-encoding', 'user-agent', 'host', 'expect', 'cookie', 'cookie2', 'set-cookie'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
  ...['forwarded', 'via', 'max-forwards', 'x-real-ip'],
  // A header with one of these names would shadow an AxiosHeaders method.
  ...['set', 'get', 'has', 'delete', 'clear', 'normalize', 'concat'],
]);
const reservedPrefixes = ['content-', 'proxy-', 'webhook-', 'x-forwarded-'];

const isReserved = (name: string): boolean =>
  reservedNames.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix));

/**
 * Returns the errors in a request's custom headers. The field of each error is `headers.<name>`.
 * @param isPatch true if null, which removes a header, is a valid value (RFC 7396)
 */
export function customHeaderErrors(headers: Record<string, unknown>, isPatch: boolean): FieldError[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const field = `headers.${name}`;
    const error = (code: string, message: string): FieldError[] => [
      { field, code, message: `${field} ${message}` },
    ];
    const key = name.toLowerCase();
    if (!HEADER_NAME_PATTERN.test(name) || name.length > MAX_NAME_LENGTH)
      return error('invalid', `must have a name of at most ${MAX_NAME_LENGTH} letters, digits, - or _`);
    if (isReserved(key)) return error('reserved', 'cannot be set: it is reserved for Gatehouse or HTTP');
    if (seen.has(key)) return error('repeated', 'is a duplicate: header names are not case-sensitive');
    seen.add(key);
    if (isPatch && value === null) return [];
    if (typeof value !== 'string') return error('invalid_type', 'must be a string');
    if (value === HIDDEN_VALUE_PLACEHOLDER)
      return error('invalid', 'is the placeholder for a hidden value. Omit the header to keep its value');
    if (value.length > MAX_VALUE_LENGTH)
      return error('too_long', `must be at most ${MAX_VALUE_LENGTH} characters`);
    if (!HEADER_VALUE_PATTERN.test(value))
      return error(
        'invalid',
        'must consist of visible ASCII characters. Spaces are allowed only between them',
      );
    return [];
  });
}

/** Merges a request's headers into the current headers; null removes a header. Both must be valid. */
export function applyHeadersPatch(
  current: CustomHeaders,
  patch: Record<string, string | null>,
): CustomHeaders {
  const merged = new Map(Object.entries(current));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name.toLowerCase());
    else merged.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(merged);
}

/** Returns the headers with their values hidden. */
export const hiddenHeaders = (names: string[]): CustomHeaders =>
  Object.fromEntries(names.map((name) => [name, HIDDEN_VALUE_PLACEHOLDER]));

/** Returns the headers of every attempt, except the timestamp, the signature and the endpoint's custom headers. */
export const deliveryHeaders = (eventId: string, userAgent: string) => ({
  accept: '*/*',
  'accept-encoding': 'identity',
  'content-type': 'application/json',
  'user-agent': userAgent,
  'webhook-id': eventId,
});
