import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { EXAMPLE_ID } from '../http/input/text-schemas.js';

export type Schema = SchemaObject | ReferenceObject;

const byFormat: Record<string, string> = {
  uuid: EXAMPLE_ID,
  email: 'ada@example.com',
  uri: 'https://app.example.com/',
  'date-time': '2026-01-01T00:00:00.000Z',
};

/** Returns a value that matches the schema: its first example if it has one, otherwise the simplest value. */
export function schemaExample(schema: Schema, schemas: Record<string, Schema>): unknown {
  const { $ref, ...own } = schema as ReferenceObject & SchemaObject;
  const referenced = $ref ? schemas[$ref.split('/').at(-1)!] : {};
  const merged: SchemaObject = { ...referenced, ...own };
  const [example] = (merged.examples ?? []) as unknown[];
  if (example !== undefined) return example;
  if (merged.default !== undefined) return merged.default as unknown;
  if (isNullable(merged)) return null;
  if (merged.enum) return merged.enum[0] as unknown;
  const alternative = merged.oneOf?.[0] ?? merged.anyOf?.[0];
  if (alternative) return schemaExample(alternative, schemas);
  return simplestExample(merged, schemas);
}

const isNullable = ({ type }: SchemaObject): boolean => Array.isArray(type) && type.includes('null');

function simplestExample(schema: SchemaObject, schemas: Record<string, Schema>): unknown {
  const { type, properties = {}, required = [], items, minimum = 0, format = '' } = schema;
  if (type === 'object') {
    const shown = Object.entries(properties).filter(
      ([name, member]) => required.includes(name) || 'examples' in member,
    );
    return Object.fromEntries(shown.map(([name, member]) => [name, schemaExample(member, schemas)]));
  }
  if (type === 'array') return items ? [schemaExample(items, schemas)] : [];
  if (type === 'integer') return minimum;
  return type === 'boolean' ? false : (byFormat[format] ?? 'text');
}
