import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { cursorSchema } from '../input/text-schemas.js';

const success = { type: 'boolean', enum: [true] };

/** Returns the schema for a single resource in the `/v1` family. */
export const snakeItemSchema = (model: Type) => ({
  type: 'object' as const,
  required: ['success', 'data'],
  properties: { success, data: { $ref: getSchemaPath(model) } },
});

/** Returns the schema for a list in the `/v1` family. */
export const snakeListSchema = (model: Type) => ({
  type: 'object' as const,
  required: ['success', 'data', 'next_cursor', 'has_more'],
  properties: {
    success,
    data: { type: 'array', items: { $ref: getSchemaPath(model) } },
    next_cursor: { type: 'string', nullable: true, ...cursorSchema },
    has_more: { type: 'boolean' },
  },
});

/** Documents a single resource in the `/v1` family. */
export const ApiSnakeItem = (model: Type, response: typeof ApiOkResponse = ApiOkResponse): MethodDecorator =>
  applyDecorators(ApiExtraModels(model), response({ schema: snakeItemSchema(model) }));

/** Documents a list in the `/v1` family. */
export const ApiSnakeList = (model: Type): MethodDecorator =>
  applyDecorators(ApiExtraModels(model), ApiOkResponse({ schema: snakeListSchema(model) }));

/** Documents a list in the `/api/v1` family. */
export const ApiCamelList = (model: Type): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(model),
    ApiOkResponse({
      schema: {
        type: 'object',
        required: ['data', 'nextCursor', 'hasMore'],
        properties: {
          data: { type: 'array', items: { $ref: getSchemaPath(model) } },
          nextCursor: { type: 'string', nullable: true, ...cursorSchema },
          hasMore: { type: 'boolean' },
        },
      },
    }),
  );
