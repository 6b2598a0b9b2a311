import { toObject, type JsonObject } from '../json-object.js';
import { exceedsDepth, hasInexactInteger } from './json-values.js';
import { reasons, type Reason } from './reasons.js';
import type { LeftOut } from './source.js';

/**
 * Limits for a customer's metadata. Gatehouse rejects a line that is nested deeper than 20 levels, including the
 * level of the customer.
 */
export const METADATA_LIMITS = { bytes: 8 * 1024, keys: 50, levels: 19 };

/** The part of an object that Gatehouse accepts as metadata, and the keys that it rejects. */
export interface FittedMetadata {
  kept: JsonObject;
  dropped: { key: string; reason: Reason }[];
}

const byteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Returns the keys of an object that fit into metadata, in their order, and the other keys with the reasons. */
export function fitMetadata(value: JsonObject, { bytes, keys, levels } = METADATA_LIMITS): FittedMetadata {
  if (isAccepted(value, { bytes, keys, levels })) return { kept: value, dropped: [] };
  const kept: [string, unknown][] = [];
  const dropped: FittedMetadata['dropped'] = [];
  let size = '{}'.length;
  for (const [key, member] of Object.entries(value)) {
    const reason = findProblem(member, levels - 1);
    // Includes the colon, and the comma if this is not the first key.
    const added = reason ? 0 : byteLength(key) + byteLength(member) + (kept.length > 0 ? 2 : 1);
    if (reason) dropped.push({ key, reason });
    else if (size + added > bytes) dropped.push({ key, reason: reasons.metadataTooLarge });
    else if (kept.length === keys) dropped.push({ key, reason: reasons.metadataTooManyKeys });
    else {
      kept.push([key, member]);
      size += added;
    }
  }
  return { kept: Object.fromEntries(kept), dropped };
}

/** Returns the limits for a metadata member that is an object, given the other members. */
export function limitsBeside(others: JsonObject, name: string): typeof METADATA_LIMITS {
  const { bytes, keys, levels } = METADATA_LIMITS;
  const hasFreeKey = Object.keys(others).length < keys;
  const used = byteLength({ ...others, [name]: {} }) - '{}'.length;
  return { bytes: hasFreeKey ? bytes - used : 0, keys: Infinity, levels: levels - 1 };
}

function isAccepted(value: JsonObject, { bytes, keys, levels }: typeof METADATA_LIMITS): boolean {
  const isStorable = !exceedsDepth(value, levels) && !hasInexactInteger(value);
  return isStorable && Object.keys(value).length <= keys && byteLength(value) <= bytes;
}

function findProblem(member: unknown, levels: number): Reason | null {
  if (exceedsDepth(member, levels)) return reasons.metadataTooDeep;
  return hasInexactInteger(member) ? reasons.inexactInteger : null;
}

/** Returns a customer in the import format with the metadata that fits, and the values that are left out. */
export function fitCustomer(customer: JsonObject): { fitted: JsonObject; leftOut: LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const fitted = { ...customer };
  for (const name of ['metadata', 'publicMetadata']) {
    const metadata = toObject(customer[name]);
    if (!metadata) continue;
    const { kept, dropped } = fitMetadata(metadata);
    if (dropped.length === 0) continue;
    // An empty object would remove an existing customer's metadata.
    if (Object.keys(kept).length > 0) fitted[name] = kept;
    else delete fitted[name];
    for (const { key, reason } of dropped) leftOut.push({ field: `${name}.${key}`, ...reason });
  }
  return { fitted, leftOut };
}
