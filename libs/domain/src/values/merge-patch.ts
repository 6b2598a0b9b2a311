import { isJsonObject, type JsonObject } from './json-object.js';

/**
 * Applies a JSON merge patch (RFC 7396): null removes a member, objects are merged at every level, and any other value
 * replaces the existing one. Neither argument is modified.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, isJsonObject(value) ? mergePatch(objectOr({}, merged.get(name)), value) : value);
  }
  return Object.fromEntries(merged);
}

const objectOr = (fallback: JsonObject, value: unknown): JsonObject =>
  isJsonObject(value) ? value : fallback;
