import { GatehouseError } from './errors/gatehouse-error.js';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether the text is a UUID in its canonical lower-case form. */
export const isUuid = (text: unknown): text is string => typeof text === 'string' && uuidPattern.test(text);

/** The 16 bytes of a UUID. */
export const uuidToBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** 16 bytes as a UUID is written, whether or not they are one of a version that we make. */
export const formatUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The canonical form of 16 bytes, or null when they are not a UUID. */
export function uuidFromBytes(bytes: Buffer): string | null {
  const id = formatUuid(bytes);
  return isUuid(id) ? id : null;
}

/** The prefixes that ids carry in the `/v1` family (contract, section 2). */
export const idPrefixes = {
  event: 'evt',
  delivery: 'dlv',
  attempt: 'att',
  endpoint: 'ep',
  redelivery: 'rdl',
} as const;
export type PrefixedIdKind = keyof typeof idPrefixes;

/** The public form of an id in the `/v1` family, e.g. `dlv_0199…`. */
export const publicId = (kind: PrefixedIdKind, id: string): string => `${idPrefixes[kind]}_${id}`;

/** The UUID inside a prefixed id, or null when the text is not an id of this kind. */
export function parsePublicId(kind: PrefixedIdKind, text: string): string | null {
  const prefix = `${idPrefixes[kind]}_`;
  const id = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  return isUuid(id) ? id : null;
}

/** The UUID inside a prefixed id from a path. Throws `not_found` when it is ill-formed (contract, section 2). */
export function parsePathId(kind: PrefixedIdKind, text: string): string {
  const id = parsePublicId(kind, text);
  if (!id) throw new GatehouseError('not_found');
  return id;
}

/** A plain UUID from a path. Throws `not_found` when it is ill-formed (contract, section 2). */
export function parsePathUuid(text: string): string {
  if (!isUuid(text)) throw new GatehouseError('not_found');
  return text;
}
