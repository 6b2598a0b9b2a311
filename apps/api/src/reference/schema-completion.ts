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
 * Says of a schema and all that is in it what Nest leaves unsaid: numbers are whole, as every number of the house is,
 * and examples are a list, as JSON Schema has them.
 */
export function completeSchema(schema: Schema): void {
  if ('$ref' in schema) return;
  const [only, ...others] = schema.allOf ?? [];
  if (only && '$ref' in only && others.length === 0) {
    // OpenAPI 3.0 needed it around a $ref with a description beside it.
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

/** Completes the schemas of an operation's parameters and bodies, and gives every JSON body an example. */
export function completeContent(operation: OperationObject, schemas: Record<string, Schema>): void {
  for (const { schema } of operation.parameters as ParameterObject[]) if (schema) completeSchema(schema);
  const bodies = [operation.requestBody, ...Object.values(operation.responses)] as ({
    content?: ContentObject;
  } & Partial<ResponseObject>)[];
  for (const [type, media] of bodies.flatMap((body) => Object.entries(body?.content ?? {}))) {
    if (type === 'application/x-ndjson') media.schema = lines;
    if (!media.schema) continue;
    completeSchema(media.schema);
    if (type === 'application/json') media.example ??= schemaExample(media.schema, schemas);
  }
}

const lines: SchemaObject = { type: 'string', description: 'One JSON object per line' };

/** What stands in a path is an id: a UUID, below `/v1` with the prefix of its kind (contract, section 2). */
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
