import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue } from '#domain';
import { VERSION } from '#platform';

const problemSchema = {
  type: 'object' as const,
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    success: { type: 'boolean', enum: [false], description: 'Only under /v1' },
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorCatalogue) },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

/** The OpenAPI document, made from the controllers themselves. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Gatehouse')
    .setDescription('Customer authentication and identity, with webhook delivery.')
    .setVersion(VERSION)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'Secret key, sk_…' }, 'secretKey')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: "A customer's access token" },
      'accessToken',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-publishable-key', description: 'Publishable key, pk_…' },
      'publishableKey',
    )
    .build();
  const document = SwaggerModule.createDocument(app, builder);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: problemSchema },
  };
  return document;
}
