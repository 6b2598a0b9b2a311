import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsArray,
  IsDefined,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ArrayMaxSize,
  ArrayMinSize,
} from 'class-validator';
import { canonicalEmail, isUuid, parsePublicId } from '#domain';

interface FieldOptions {
  description: string;
  example?: unknown;
  optional?: boolean;
  /** null is a value: it unsets the field. */
  nullable?: boolean;
  maxLength?: number;
  minLength?: number;
}

/** Presence rules: an optional field may be left out, but null only where null means something. */
const presence = ({ optional, nullable }: FieldOptions): PropertyDecorator =>
  ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null));

const describe = (options: FieldOptions, schema: object = { type: 'string' }): PropertyDecorator =>
  ApiProperty({
    ...schema,
    description: options.description,
    required: !options.optional,
    ...(options.example === undefined ? {} : { example: options.example }),
    ...(options.nullable ? { nullable: true } : {}),
    ...(options.maxLength === undefined ? {} : { maxLength: options.maxLength }),
    ...(options.minLength === undefined ? {} : { minLength: options.minLength }),
  });

/** A short text without control characters. */
export const TextField = (options: FieldOptions & { maxLength: number }): PropertyDecorator =>
  applyDecorators(
    describe(options),
    presence(options),
    IsString(),
    MaxLength(options.maxLength),
    MinLength(options.minLength ?? 0),
    // eslint-disable-next-line no-control-regex -- control characters are what it refuses
    Matches(/^[^\u0000-\u001f\u007f]*$/, { message: '$property must not contain control characters' }),
  );

/** A secret value that is compared, never shown: any characters. */
export const SecretField = (options: FieldOptions & { maxLength: number }): PropertyDecorator =>
  applyDecorators(describe(options), presence(options), IsString(), MaxLength(options.maxLength));

/** An e-mail address, in its canonical form once it has passed. */
export const EmailField = (): PropertyDecorator =>
  applyDecorators(
    describe(
      { description: 'E-mail address; compared without regard to ASCII case', example: 'ada@example.com' },
      { type: 'string', format: 'email', maxLength: 254 },
    ),
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
      { message: '$property must be an e-mail address' },
    ),
  );

/** A list of texts, each of which `isValid` accepts. */
export const TextListField = (
  options: FieldOptions & { maxItems: number; isValid: (text: string) => boolean; message: string },
): PropertyDecorator =>
  applyDecorators(
    describe(options, { type: 'array', items: { type: 'string' } }),
    presence(options),
    IsArray(),
    ArrayMinSize(1),
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

/** A text that must pass `isValid`; in a query as well as in a body. */
export const CheckedField = (
  options: FieldOptions & { isValid: (text: string) => boolean; message: string; values?: readonly string[] },
): PropertyDecorator =>
  applyDecorators(
    describe(options, { type: 'string', ...(options.values ? { enum: [...options.values] } : {}) }),
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

/** A whole number in a query, where everything comes as text. */
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

/** A project's id in a query. */
export const ProjectIdField = (): PropertyDecorator =>
  CheckedField({
    description: 'Only this project',
    optional: true,
    isValid: isUuid,
    message: 'project_id must be a UUID',
  });

/** A prefixed id in a query. */
export const PublicIdField = (kind: 'event' | 'delivery' | 'endpoint'): PropertyDecorator =>
  CheckedField({
    description: `Only this ${kind}`,
    optional: true,
    isValid: (text) => parsePublicId(kind, text) !== null,
    message: `$property must be the id of ${kind === 'delivery' ? 'a' : 'an'} ${kind}`,
  });
