import { GatehouseError } from '../errors/gatehouse-error.js';

const uuidDigits = '[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const uuidPattern = new RegExp(`^${uuidDigits}$`);

/** Returns whether the value is a UUID in canonical lowercase form. */
export const isUuid = (text: unknown): text is string => typeof text === 'string' && uuidPattern.test(text);

export const uuidToBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** Formats 16 bytes as a UUID of any version. */
export const formatUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Returns the canonical UUID for 16 bytes, or null if they are not a UUID. */
export function uuidFromBytes(bytes: Buffer): string | null {
  const id = formatUuid(bytes);
  return isUuid(id) ? id : null;
}

/** The id prefixes of the `/v1` routes (contract, section 2). */
export const idPrefixes = {
  event: 'evt',
  delivery: 'dlv',
  attempt: 'att',
  endpoint: 'ep',
  redelivery: 'rdl',
} as const;
export type PrefixedIdKind = keyof typeof idPrefixes;

/** Returns an id's public form in the `/v1` routes, such as `dlv_0199…`. */
export const publicId = (kind: PrefixedIdKind, id: string): string => `${idPrefixes[kind]}_${id}`;

/** Returns the regular expression that matches ids of these kinds. */
export const publicIdPattern = (...kinds: PrefixedIdKind[]): string =>
  `^(${kinds.map((kind) => idPrefixes[kind]).join('|')})_${uuidDigits}$`;

/** Returns the UUID in a prefixed id, or null if the string is not an id of this kind. */
export function parsePublicId(kind: PrefixedIdKind, text: string): string | null {
  const prefix = `${idPrefixes[kind]}_`;
  const id = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  return isUuid(id) ? id : null;
}

/** Returns the UUID in a prefixed id from a path. Throws `not_found` if the id is malformed (contract, section 2). */
export function parsePathId(kind: PrefixedIdKind, text: string): string {
  const id = parsePublicId(kind, text);
  if (!id) throw new GatehouseError('not_found');
  return id;
}

/** Returns a UUID from a path. Throws `not_found` if it is malformed (contract, section 2). */
export function parsePathUuid(text: string): string {
  if (!isUuid(text)) throw new GatehouseError('not_found');
  return text;
}
