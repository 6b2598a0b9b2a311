/** A JSON object, with values of any type. */
export type JsonObject = Record<string, unknown>;

/** Returns the value if it is a JSON object, otherwise null. */
export const toObject = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
