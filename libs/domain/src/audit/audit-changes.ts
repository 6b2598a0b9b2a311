import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../values/json-object.js';
import { parseUrl } from '../urls/parse-url.js';

/** The old and new values of changed fields, by path, such as `settings.branding.color`. */
export type AuditChanges = Record<string, { from: unknown; to: unknown }>;

/** Maximum number of fields with values. `changed` in the entry contains the names of all changed fields. */
const MAX_FIELDS = 40;

/** Maximum length of a string, and of a list as JSON. */
const MAX_LENGTH = 200;

/**
 * Returns the changes between two versions of an object for the audit log. Both versions must contain only settings: an
 * entry outlives the customers, so it must contain neither customer data nor secrets. Credentials and queries are
 * removed from URLs, and long values are truncated.
 */
export function auditChanges(before: object, after: object): AuditChanges {
  const [from, to] = [flatten(before), flatten(after)];
  const paths = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changed = paths.filter((path) => !isDeepStrictEqual(from[path] ?? null, to[path] ?? null));
  return Object.fromEntries(
    changed
      .slice(0, MAX_FIELDS)
      .map((path) => [path, { from: summarize(from[path] ?? null), to: summarize(to[path] ?? null) }]),
  );
}

/** Returns a webhook URL's origin. Its path is omitted because it often contains a credential. */
export function withoutUrlPath(url: string): string {
  const origin = parseUrl(url)?.origin;
  return origin === undefined ? '…' : `${origin}/…`;
}

/** Returns all field values, including nested ones, by path. */
const flatten = (fields: object, path = ''): JsonObject =>
  Object.assign(
    {},
    ...Object.entries(fields).map(([name, value]: [string, unknown]) =>
      isJsonObject(value) ? flatten(value, `${path}${name}.`) : { [path + name]: value },
    ),
  ) as JsonObject;

function summarize(value: unknown): unknown {
  if (typeof value === 'string') return cut(withoutCredentials(value));
  if (!Array.isArray(value)) return value;
  const items = value.map(summarize);
  const text = JSON.stringify(items);
  return text.length > MAX_LENGTH ? cut(text) : items;
}

/** Removes the user information, query and fragment from a URL. Returns any other string unchanged. */
const withoutCredentials = (text: string): string =>
  text.replace(/^(https?:\/\/)[^/?#]*@/i, '$1').replace(/^(https?:\/\/[^?#]*)[?#].*$/is, '$1?…');

const cut = (text: string): string =>
  text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…` : text;
