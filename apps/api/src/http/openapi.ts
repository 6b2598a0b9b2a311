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

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  description:
    'With a secret key: sends the same request again without doing it twice. Kept for 24 hours; a replayed answer carries Idempotent-Replayed: true.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

/** The OpenAPI document, made from the controllers themselves. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Gatehouse')
    .setDescription('Customer authentication and identity, with webhook delivery.')
    .setVersion(VERSION)
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'sk_…',
        description: 'Secret key; x-api-key takes it too',
      },
      'secretKey',
    )
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
  for (const { post } of Object.values(document.paths)) {
    const takesSecretKey = post?.security?.some((option) => 'secretKey' in option) ?? false;
    if (post && takesSecretKey) post.parameters = [...(post.parameters ?? []), idempotencyKey];
  }
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: problemSchema },
  };
  return document;
}
