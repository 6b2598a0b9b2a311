import { applyDecorators, type Type } from '@nestjs/common';
import { Type as TypeOf } from 'class-transformer';
import { ArrayMaxSize, IsArray, ValidateNested } from 'class-validator';
import { describeField, presence, type FieldOptions } from '../../http/input/field-options.js';

/** A list of `type` objects, which may be empty. */
export const ObjectListField = (
  options: FieldOptions & { type: Type; maxItems: number },
): PropertyDecorator =>
  applyDecorators(
    describeField(options, { type: [options.type], maxItems: options.maxItems }),
    presence(options),
    IsArray(),
    ArrayMaxSize(options.maxItems),
    ValidateNested({ message: '$property must be an object' }),
    TypeOf(() => options.type),
  );
