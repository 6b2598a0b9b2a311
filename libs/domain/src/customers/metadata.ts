import { isJsonObject, type JsonObject } from '../values/json-object.js';

/** The metadata limits per customer (contract, section 4). */
export const METADATA_BYTES = 8 * 1024;
export const METADATA_KEYS = 50;

const byteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Returns whether a value is a JSON object within the metadata limits. */
export const isMetadata = (value: unknown): boolean =>
  isJsonObject(value) && Object.keys(value).length <= METADATA_KEYS && byteLength(value) <= METADATA_BYTES;

/** The object keys that fit into metadata, and the dropped keys with their problem codes. */
export interface FittedMetadata {
  kept: JsonObject;
  dropped: { key: string; code: string }[];
}

/**
 * Splits an object into the keys that fit into metadata, in their order, and the dropped keys.
 * @param findProblem returns the problem code for a key or value that cannot be stored, or null
 */
export function fitMetadata(
  value: JsonObject,
  findProblem: (key: string, member: unknown) => string | null = () => null,
): FittedMetadata {
  const kept: [string, unknown][] = [];
  const dropped: FittedMetadata['dropped'] = [];
  let bytes = '{}'.length;
  for (const [key, member] of Object.entries(value)) {
    const problem = findProblem(key, member);
    // One byte for the colon, and one for the comma after a previous key.
    const added = problem ? 0 : byteLength(key) + byteLength(member) + (kept.length > 0 ? 2 : 1);
    const fits = kept.length < METADATA_KEYS && bytes + added <= METADATA_BYTES;
    if (problem ?? !fits) {
      dropped.push({ key, code: problem ?? 'too_long' });
      continue;
    }
    kept.push([key, member]);
    bytes += added;
  }
  return { kept: Object.fromEntries(kept), dropped };
}
