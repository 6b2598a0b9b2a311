import type { FieldError } from '../errors/gatehouse-error.js';

/** Headers of an endpoint's own, by their names in lower case. */
export type CustomHeaders = Record<string, string>;

export const MAX_CUSTOM_HEADERS = 20;
const MAX_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 1024;

/** What stands for a value wherever headers are shown. No header can have it, so it is never written back. */
export const HIDDEN_VALUE_PLACEHOLDER = '…';

/** RFC 9110, section 5.6.2. */
const HEADER_NAME_PATTERN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, with spaces inside (RFC 9110, section 5.5). */
const HEADER_VALUE_PATTERN = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * What Gatehouse, HTTP itself or the way there sets: another value would break the signature or the framing, have the
 * answer compressed, carry cookies (requirement WH-05), or pass for what a proxy says.
 */
const reservedNames = new Set([
  ...['accept', 'accept-encoding', 'user-agent', 'host', 'expect', 'cookie', 'cookie2', 'set-cookie'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
  ...['forwarded', 'via', 'max-forwards', 'x-real-ip'],
  // Methods of what axios keeps headers in, which a header of that name would hide.
  ...['set', 'get', 'has', 'delete', 'clear', 'normalize', 'concat'],
]);
const reservedPrefixes = ['content-', 'proxy-', 'webhook-', 'x-forwarded-'];

const isReserved = (name: string): boolean =>
  reservedNames.has(name) || reservedPrefixes.some((beginning) => name.startsWith(beginning));

/**
 * What is wrong with the headers that a request brings, each under `headers.<name>`.
 * @param isPatch whether null, which removes a header, is a value (RFC 7396)
 */
export function customHeaderErrors(headers: Record<string, unknown>, isPatch: boolean): FieldError[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const field = `headers.${name}`;
    const fault = (code: string, message: string): FieldError[] => [
      { field, code, message: `${field} ${message}` },
    ];
    const key = name.toLowerCase();
    if (!HEADER_NAME_PATTERN.test(name) || name.length > MAX_NAME_LENGTH)
      return fault('invalid', `must have a name of at most ${MAX_NAME_LENGTH} letters, digits, - or _`);
    if (isReserved(key)) return fault('reserved', 'cannot be set: it is reserved for Gatehouse or HTTP');
    if (seen.has(key)) return fault('repeated', 'is a duplicate: header names are not case-sensitive');
    seen.add(key);
    if (isPatch && value === null) return [];
    if (typeof value !== 'string') return fault('invalid_type', 'must be a string');
    if (value === HIDDEN_VALUE_PLACEHOLDER)
      return fault('invalid', 'is the placeholder of a hidden value. Omit the header to keep its value');
    if (value.length > MAX_VALUE_LENGTH)
      return fault('too_long', `must be at most ${MAX_VALUE_LENGTH} characters`);
    if (!HEADER_VALUE_PATTERN.test(value))
      return fault(
        'invalid',
        'must consist of visible ASCII characters. Spaces are allowed only between them',
      );
    return [];
  });
}

/** Headers once those of a request are merged into them: null removes one. Both must be without fault. */
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

/** The same with their values hidden. */
export const hiddenHeaders = (names: string[]): CustomHeaders =>
  Object.fromEntries(names.map((name) => [name, HIDDEN_VALUE_PLACEHOLDER]));

/** What every attempt sends besides its timestamp, its signature and the endpoint's own headers. */
export const deliveryHeaders = (eventId: string, userAgent: string) => ({
  accept: '*/*',
  'accept-encoding': 'identity',
  'content-type': 'application/json',
  'user-agent': userAgent,
  'webhook-id': eventId,
});
