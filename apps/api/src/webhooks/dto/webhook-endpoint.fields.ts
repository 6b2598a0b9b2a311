import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { isJsonObject } from '@gatehouse/domain';
import { isWebhookSecret } from '@gatehouse/platform';
import { describeField, presence, type FieldOptions } from '../../http/input/field-options.js';

/** Options for a field that accepts a signing secret. */
export const signingSecret = {
  example: 'whsec_dGhlIHNlY3JldCBvZiB5b3VyIHJlY2VpdmVy',
  schema: { pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$', writeOnly: true },
  isValid: isWebhookSecret,
  message: '$property must be whsec_ and 24 to 64 bytes in base64',
};

export const endpointNameSchema = {
  description: 'Current name of the endpoint, even if it is deleted',
  example: 'app.example.com',
};

/** HTTP header names and values, which the service validates. A patch may contain null (RFC 7396). */
export const HeadersField = (options: Pick<FieldOptions, 'description' | 'nullable'>): PropertyDecorator =>
  applyDecorators(
    describeField(
      { ...options, optional: true, example: { authorization: 'Bearer 9f2c51' } },
      {
        type: 'object',
        additionalProperties: { type: 'string', ...(options.nullable ? { nullable: true } : {}) },
      },
    ),
    presence({ ...options, optional: true }),
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => obj[key]),
    ValidateBy(
      { name: 'isObject', validator: { validate: isJsonObject } },
      { message: '$property must be a JSON object' },
    ),
  );
