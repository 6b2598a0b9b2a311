/** An object of JSON, not an array. */
export type JsonObject = Record<string, unknown>;

/** Returns true for an object of JSON. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
