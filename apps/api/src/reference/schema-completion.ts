import type {
  ContentObject,
  OperationObject,
  ParameterObject,
  ResponseObject,
  SchemaObject,
} from '@nestjs/swagger';
import { idPrefixes, publicIdPattern, type PrefixedIdKind } from '@gatehouse/domain';
import { EXAMPLE_ID, publicIdSchema } from '../http/input/text-schemas.js';
import { schemaExample, type Schema } from './schema-example.js';

const applicators = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * Completes a schema and its subschemas where Nest is imprecise. Numbers become integers, unless they are fractions
 * (`format: double`). An example becomes a list of examples, as in JSON Schema.
 */
export function completeSchema(schema: Schema): void {
  if ('$ref' in schema) return;
  const [only, ...others] = schema.allOf ?? [];
  if (only && '$ref' in only && others.length === 0) {
    // OpenAPI 3.0 required `allOf` around a $ref with a description.
    Object.assign(schema, only);
    delete schema.allOf;
  }
  if (schema.type === 'number' && schema.format !== 'double') schema.type = 'integer';
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

/** Completes the schemas of an operation's parameters and bodies, and adds an example to every JSON body. */
export function completeContent(operation: OperationObject, schemas: Record<string, Schema>): void {
  for (const { schema } of operation.parameters as ParameterObject[]) if (schema) completeSchema(schema);
  const requestMedia = (operation.requestBody as { content?: ContentObject } | undefined)?.content?.[
    'application/json'
  ];
  const bodies = [operation.requestBody, ...Object.values(operation.responses)] as ({
    content?: ContentObject;
  } & Partial<ResponseObject>)[];
  for (const [type, media] of bodies.flatMap((body) => Object.entries(body?.content ?? {}))) {
    if (type === 'application/x-ndjson') media.schema = ndjsonSchema;
    if (!media.schema) continue;
    completeSchema(media.schema);
    if (media === requestMedia) closeRequestSchemas(media.schema, schemas);
    if (type === 'application/json') media.example ??= schemaExample(media.schema, schemas);
  }
}

/**
 * Closes the schemas of a request body, because unknown fields are rejected. Objects with arbitrary fields, such as
 * metadata, stay open.
 */
function closeRequestSchemas(schema: Schema, schemas: Record<string, Schema>): void {
  const target = '$ref' in schema ? (schemas[schema.$ref.split('/').at(-1)!] as SchemaObject) : schema;
  if (target.properties) target.additionalProperties ??= false;
  const members = [...Object.values(target.properties ?? {}), ...(target.items ? [target.items] : [])];
  const alternatives = applicators.flatMap((name) => target[name] ?? []);
  for (const member of [...members, ...alternatives]) closeRequestSchemas(member, schemas);
}

const ndjsonSchema: SchemaObject = { type: 'string', description: 'One JSON object per line' };

/**
 * Returns the schema of a path parameter, which is an id: a UUID or, for resources in the `/v1` family, an id with a
 * prefix (contract, section 2).
 */
export function pathParameterSchema(name: string): Pick<ParameterObject, 'description' | 'schema'> {
  const noun = name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (noun === 'delivery') {
    const pattern = publicIdPattern('delivery', 'attempt');
    return {
      description: 'Id of the delivery, or of one of its attempts',
      schema: { ...publicIdSchema('delivery'), pattern },
    };
  }
  return {
    description: `Id of the ${noun}`,
    schema:
      noun in idPrefixes
        ? publicIdSchema(noun as PrefixedIdKind)
        : { type: 'string', format: 'uuid', example: EXAMPLE_ID },
  };
}
