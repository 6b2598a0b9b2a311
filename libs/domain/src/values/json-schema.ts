/** A JSON Schema (2020-12), or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An object's properties. */
export type Members = Readonly<Record<string, JsonSchema>>;

export const text = { type: 'string' };
export const uuid = { type: 'string', format: 'uuid' };
export const email = { type: 'string', format: 'email' };
export const time = { type: 'string', format: 'date-time' };

export const flag = { type: 'boolean' };
export const seconds = { type: 'integer', description: 'Duration in seconds' };
export const strings = { type: 'array', items: text };
export const url = { type: 'string', format: 'uri' };
export const urls = { type: 'array', items: url };
export const jsonObject = { type: 'object', additionalProperties: true };

export const nullable = (schema: { type: string; format?: string }): JsonSchema => ({
  ...schema,
  type: [schema.type, 'null'],
});

/**
 * Returns the schema of an object that always has these properties. Later versions may add others (contract, section
 * 5).
 */
export const object = (properties: Members, description?: string): JsonSchema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
});

/**
 * Returns the schema of `previous` in an `*.updated` event, which contains only changed properties, and at least one.
 */
export const previousValues = (properties: Members): JsonSchema => ({
  type: 'object',
  description: 'The changed fields with their previous values',
  properties,
  minProperties: 1,
  additionalProperties: true,
});

/**
 * Returns the schema of a string with known values. It has no `enum`, because receivers that validate with it would
 * reject events with new values.
 */
export const openEnum = (description: string, ...values: string[]): JsonSchema => ({
  type: 'string',
  description: `${description}. Later versions may add values`,
  examples: values,
});
