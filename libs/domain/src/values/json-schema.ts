/** A JSON Schema (2020-12), or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An object's members. */
export type Members = Readonly<Record<string, JsonSchema>>;

export const text = { type: 'string' };
export const uuid = { type: 'string', format: 'uuid' };
export const email = { type: 'string', format: 'email' };
export const time = { type: 'string', format: 'date-time' };

export const flag = { type: 'boolean' };
export const seconds = { type: 'integer', description: 'Duration in seconds' };
export const texts = { type: 'array', items: text };
export const url = { type: 'string', format: 'uri' };
export const urls = { type: 'array', items: url };
export const jsonObject = { type: 'object', additionalProperties: true };

export const nullable = (schema: { type: string; format?: string }): JsonSchema => ({
  ...schema,
  type: [schema.type, 'null'],
});

/** Returns the schema for an object that has all these members. Later versions may add others (contract, section 5). */
export const object = (properties: Members, description?: string): JsonSchema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
});

/**
 * Returns the schema for `previous` in an `*.updated` event: at least one of these members, and only changed members.
 */
export const previousValues = (properties: Members): JsonSchema => ({
  type: 'object',
  description: 'The changed fields with their previous values',
  properties,
  minProperties: 1,
  additionalProperties: true,
});

/**
 * Returns the schema for a string with known values. It has no `enum`, because a receiver that rejects new values would
 * lose events.
 */
export const openEnum = (description: string, ...values: string[]): JsonSchema => ({
  type: 'string',
  description: `${description}. Later versions may add values`,
  examples: values,
});
