import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type as TypeOf } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsDefined,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  type ValidationArguments,
} from 'class-validator';
import {
  canonicalEmail,
  canonicalLocale,
  isJsonObject,
  isMetadata,
  isUuid,
  LOCALE_LENGTH,
  METADATA_BYTES,
  METADATA_KEYS,
  parsePublicId,
} from '@gatehouse/domain';
import { describeField, presence, type FieldOptions } from './field-options.js';
import { publicIdSchema, schemasByCheck } from './text-schemas.js';

/** A short string without control characters. */
export const TextField = (options: FieldOptions & { maxLength: number }): PropertyDecorator =>
  applyDecorators(
    describeField(options),
    presence(options),
    IsString(),
    MaxLength(options.maxLength),
    MinLength(options.minLength ?? 0),
    // oxlint-disable-next-line no-control-regex -- the pattern rejects control characters
    Matches(/^[^\u0000-\u001f\u007f]*$/, { message: '$property must not contain control characters' }),
  );

/** A secret value with any characters. It is compared but never returned. */
export const SecretField = (options: FieldOptions & { maxLength: number }): PropertyDecorator =>
  applyDecorators(describeField(options), presence(options), IsString(), MaxLength(options.maxLength));

/** An email address. A valid address is converted to its canonical form. */
export const EmailField = (more: Partial<FieldOptions> = {}): PropertyDecorator => {
  const options = {
    description: 'Email address. ASCII letters are not case-sensitive',
    example: 'ada@example.com',
    ...more,
  };
  return applyDecorators(
    describeField(options, { type: 'string', format: 'email', maxLength: 254 }),
    presence(options),
    IsDefined(),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (canonicalEmail(value) ?? value) : value,
    ),
    ValidateBy(
      {
        name: 'isEmail',
        validator: {
          validate: (value: unknown) => typeof value === 'string' && canonicalEmail(value) === value,
        },
      },
      { message: '$property must be an email address' },
    ),
  );
};

/** A language tag, optional and nullable. A valid tag is converted to its canonical form. */
export const LocaleField = ({ description }: Pick<FieldOptions, 'description'>): PropertyDecorator => {
  const options = { description, example: 'de-AT', optional: true, nullable: true, maxLength: LOCALE_LENGTH };
  return applyDecorators(
    describeField(options),
    presence(options),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (canonicalLocale(value) ?? value) : value,
    ),
    ValidateBy(
      {
        name: 'isLocale',
        validator: {
          validate: (value: unknown) => typeof value === 'string' && canonicalLocale(value) !== null,
        },
      },
      {
        message: `$property must be a BCP 47 language tag of at most ${LOCALE_LENGTH} characters, such as de-AT`,
      },
    ),
  );
};

/** A list of strings that `isValid` accepts, with at least one entry by default. */
export const TextListField = (
  options: FieldOptions & {
    minItems?: number;
    maxItems: number;
    /** JSON Schema keywords for an entry, for the documentation only. */
    itemSchema?: object;
    isValid: (text: string) => boolean;
    message: string;
    values?: readonly string[];
  },
): PropertyDecorator =>
  applyDecorators(
    describeField(options, {
      type: 'array',
      items: {
        type: 'string',
        ...(options.values ? { enum: [...options.values] } : {}),
        ...(options.itemSchema ?? schemasByCheck.get(options.isValid)),
      },
      minItems: options.minItems ?? 1,
      maxItems: options.maxItems,
    }),
    presence(options),
    IsArray(),
    ArrayMinSize(options.minItems ?? 1),
    ArrayMaxSize(options.maxItems),
    ValidateBy(
      {
        name: 'listEntries',
        validator: {
          validate: (value: unknown) =>
            Array.isArray(value) &&
            value.every((entry) => typeof entry === 'string' && options.isValid(entry)),
        },
      },
      { message: options.message },
    ),
  );

/** A string that must pass `isValid`, in a query or a body. */
export const CheckedField = (
  options: FieldOptions & {
    isValid: (text: string) => boolean;
    message: string | ((validation: ValidationArguments) => string);
    values?: readonly string[];
  },
): PropertyDecorator =>
  applyDecorators(
    describeField(options, {
      type: 'string',
      ...(options.values ? { enum: [...options.values] } : {}),
      ...schemasByCheck.get(options.isValid),
    }),
    presence(options),
    IsString(),
    ValidateBy(
      {
        name: 'checked',
        validator: { validate: (value: unknown) => typeof value === 'string' && options.isValid(value) },
      },
      { message: options.message },
    ),
  );

/** One of several strings, in a query or a body. */
export const OneOfField = (
  description: string,
  values: readonly string[],
  more: Partial<FieldOptions> = {},
): PropertyDecorator =>
  CheckedField({
    description,
    optional: true,
    ...more,
    values,
    isValid: (text) => values.includes(text),
    message: `$property must be one of ${values.join(', ')}`,
  });

/** An integer in a query, where every value is a string. */
export const QueryIntegerField = (
  options: Pick<FieldOptions, 'description' | 'example'> & { min: number; max: number; fallback?: number },
): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'integer',
      minimum: options.min,
      maximum: options.max,
      description: options.description,
      required: false,
      ...(options.fallback === undefined ? {} : { default: options.fallback }),
    }),
    ValidateIf((_, value) => value !== undefined),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN,
    ),
    IsInt(),
    Min(options.min),
    Max(options.max),
  );

/** A project id in a query. */
export const ProjectIdField = (): PropertyDecorator =>
  CheckedField({
    description: 'Only this project',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  });

/** A prefixed id in a query. */
export const PublicIdField = (kind: 'event' | 'delivery' | 'endpoint' | 'redelivery'): PropertyDecorator =>
  CheckedField({
    description: `Only this ${kind}`,
    optional: true,
    schema: publicIdSchema(kind),
    isValid: (text) => parsePublicId(kind, text) !== null,
    message: `$property must be the id of ${kind.startsWith('e') ? 'an' : 'a'} ${kind}`,
  });

export const BooleanField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(describeField(options, { type: 'boolean' }), presence(options), IsBoolean());

export const METADATA_RULE = `must be a JSON object with at most ${METADATA_KEYS} keys and ${METADATA_BYTES} bytes`;

/** A JSON object that the caller sends, stored unchanged (contract, section 4). */
export const MetadataField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(
    describeField({ ...options, optional: true }, { type: 'object', additionalProperties: true }),
    presence({ ...options, optional: true }),
    // class-transformer would rebuild the object and lose keys that are named like an Object.prototype member.
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => obj[key]),
    ValidateBy(
      { name: 'metadata', validator: { validate: isMetadata } },
      { message: `$property ${METADATA_RULE}` },
    ),
  );

/** A metadata merge patch (RFC 7396). The metadata rule is checked after the merge. */
export const MetadataPatchField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(
    describeField(
      { ...options, optional: true, nullable: true },
      { type: 'object', additionalProperties: true },
    ),
    presence({ ...options, optional: true, nullable: true }),
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => obj[key]),
    ValidateBy(
      { name: 'isObject', validator: { validate: isJsonObject } },
      { message: '$property must be a JSON object' },
    ),
  );

/** An integer in a body. */
export const IntegerField = (options: FieldOptions & { min: number; max: number }): PropertyDecorator =>
  applyDecorators(
    describeField(options, { type: 'integer', minimum: options.min, maximum: options.max }),
    presence(options),
    IsInt(),
    Min(options.min),
    Max(options.max),
  );

/** An object whose fields are declared by a class. */
export const ObjectField = (options: FieldOptions & { type: Type }): PropertyDecorator =>
  applyDecorators(
    describeField(options, { type: options.type }),
    presence(options),
    IsObject(),
    ValidateNested(),
    TypeOf(() => options.type),
  );

/** A list of distinct strings that `isValid` accepts; it may be empty. */
export const TextSetField = (
  options: FieldOptions & {
    maxItems: number;
    itemSchema?: object;
    isValid: (text: string) => boolean;
    message: string;
    values?: readonly string[];
  },
): PropertyDecorator =>
  applyDecorators(
    TextListField({ ...options, minItems: 0 }),
    ArrayUnique({ message: '$property must not contain duplicates' }),
  );
