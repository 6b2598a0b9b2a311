import type {
  ContentObject,
  OperationObject,
  ParameterObject,
  ResponseObject,
  SchemaObject,
} from '@nestjs/swagger';
import { idPrefixes, type PrefixedIdKind } from '@gatehouse/domain';
import { EXAMPLE_ID } from './problem-schemas.js';
import { schemaExample, type Schema } from './schema-example.js';

const applicators = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * Completes a schema and its subschemas where Nest is imprecise: numbers become integers, because all numbers
 * of the API are, and an example becomes a list of examples, as in JSON Schema.
 */
export function completeSchema(schema: Schema): void {
  if ('$ref' in schema) return;
  const [only, ...others] = schema.allOf ?? [];
  if (only && '$ref' in only && others.length === 0) {
    // OpenAPI 3.0 required `allOf` around a $ref with a description next to it.
    Object.assign(schema, only);
    delete schema.allOf;
  }
  if (schema.type === 'number') schema.type = 'integer';
  if (schema.example !== undefined) {
    schema.examples = [schema.example];
    delete schema.example;
  }
  const members = [
    ...Object.values(schema.properties ?? {}),
    ...applicators.flatMap((name) => schema[name] ?? []),
    ...(schema.items ? [schema.items] : []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  members.forEach(completeSchema);
}

/**
 * Completes the schemas of the parameters and bodies of an operation, and adds an example to every JSON body.
 */
export function completeContent(operation: OperationObject, schemas: Record<string, Schema>): void {
  for (const { schema } of operation.parameters as ParameterObject[]) if (schema) completeSchema(schema);
  const bodies = [operation.requestBody, ...Object.values(operation.responses)] as ({
    content?: ContentObject;
  } & Partial<ResponseObject>)[];
  for (const [type, media] of bodies.flatMap((body) => Object.entries(body?.content ?? {}))) {
    if (type === 'application/x-ndjson') media.schema = ndjsonSchema;
    if (!media.schema) continue;
    completeSchema(media.schema);
    if (type === 'application/json') media.example ??= schemaExample(media.schema, schemas);
  }
}

const ndjsonSchema: SchemaObject = { type: 'string', description: 'One JSON object per line' };

/**
 * Returns the schema of a path parameter. It is an id: a UUID, or under `/v1` an id with the prefix of its
 * type (contract, section 2).
 */
export function pathParameterSchema(
  name: string,
  path: string,
): Pick<ParameterObject, 'description' | 'schema'> {
  const noun = name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const prefix = path.startsWith('/v1/') ? idPrefixes[noun as PrefixedIdKind] : undefined;
  return {
    description: `Id of the ${noun}`,
    schema: prefix
      ? { type: 'string', examples: [`${prefix}_${EXAMPLE_ID}`] }
      : { type: 'string', format: 'uuid', examples: [EXAMPLE_ID] },
  };
}
