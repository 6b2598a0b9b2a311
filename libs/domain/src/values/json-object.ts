/** A JSON object, not an array. */
export type JsonObject = Record<string, unknown>;

/** Returns true for a JSON object. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
