import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { canonicalName, isVisible } from '@gatehouse/domain';
import type { FieldOptions } from './field-options.js';
import { TextField } from './fields.js';

/** A name that is converted with `convert` before validation. It must contain a visible character. */
const convertedName = (
  options: FieldOptions & { maxLength: number },
  convert: (text: string) => string | null,
): PropertyDecorator =>
  applyDecorators(
    TextField(options),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? convert(value) : value)),
    ValidateBy(
      {
        name: 'visible',
        validator: {
          validate: (value: unknown) => typeof value !== 'string' || value === '' || isVisible(value),
        },
      },
      { message: '$property must contain a visible character' },
    ),
  );

/** A resource name, in NFC. Line breaks are rejected, because some names appear in email headers. */
export const NameTextField = (options: FieldOptions & { maxLength: number }): PropertyDecorator =>
  convertedName(options, (text) => text.normalize('NFC'));

/**
 * An optional name, such as a last name, in its canonical form. An empty name becomes null, because HTML forms
 * send empty strings for omitted fields.
 */
export const NameField = (options: Pick<FieldOptions, 'description' | 'example'>): PropertyDecorator =>
  convertedName(
    { ...options, optional: true, nullable: true, maxLength: 100 },
    (text) => canonicalName(text) || null,
  );
