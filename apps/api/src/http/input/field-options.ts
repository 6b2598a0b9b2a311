import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';

/** The options that all field decorators accept. */
export interface FieldOptions {
  description: string;
  example?: unknown;
  optional?: boolean;
  /** Allows null, which unsets the field. */
  nullable?: boolean;
  maxLength?: number;
  minLength?: number;
  /** Further JSON Schema keywords, for the documentation only. */
  schema?: object;
}

/** Validates presence: an optional field may be omitted, and only a nullable field may be null. */
export const presence = ({ optional, nullable }: FieldOptions): PropertyDecorator =>
  ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null));

/** Documents a field. */
export const describeField = (
  options: FieldOptions,
  schema: object = { type: 'string' },
): PropertyDecorator =>
  ApiProperty({
    ...schema,
    ...options.schema,
    description: options.description,
    required: !options.optional,
    ...(options.example === undefined ? {} : { example: options.example }),
    ...(options.nullable ? { nullable: true } : {}),
    ...(options.maxLength === undefined ? {} : { maxLength: options.maxLength }),
    ...(options.minLength === undefined ? {} : { minLength: options.minLength }),
  });
