import { STATUS_CODES } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import {
  DocumentBuilder,
  SwaggerModule,
  type OpenAPIObject,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type ResponseObject,
  type ResponsesObject,
  type SecurityRequirementObject,
} from '@nestjs/swagger';
import { OPERATOR_COOKIE, requiredRole, type CallerKind, type RouteCredential } from '@gatehouse/auth';
import { errorCatalog, type ErrorCode, type ErrorEntry } from '@gatehouse/domain';
import { VERSION } from '@gatehouse/platform';
import { isConsolePath } from '../http/console-request.js';
import { storedErrorStatuses } from '../http/idempotency/idempotency.service.js';
import {
  problemCodes,
  RouteReader,
  acceptsIdempotencyKey,
  acceptsIfMatch,
  acceptsIfNoneMatch,
  type DocumentedRoute,
} from './documented-route.js';
import { operatorApi, publicApi, type ApiTexts } from './openapi-texts.js';
import { withOrderedControllers } from './ordered-controllers.js';
import {
  responseHeaders,
  headersFor,
  problemExamples,
  ProblemResponses,
  problemSchemas,
} from './problem-schemas.js';
import { completeContent, completeSchema, pathParameterSchema } from './schema-completion.js';

/** Version of the API (specification, section 9). The Gatehouse version is in `x-gatehouse-version`. */
const API_VERSION = '1.0';

/** Names of the security schemes that each kind of credential can be sent with. */
const securitySchemes: Record<CallerKind, string[]> = {
  'secret-key': ['secretKey', 'secretKeyHeader'],
  'publishable-key': ['publishableKey'],
  'access-token': ['accessToken'],
  operator: ['operatorSession'],
};

/** Audience of a document: `public` for routes that accept keys and access tokens, `operator` for console routes. */
export type Audience = 'public' | 'operator';

const apiTexts: Record<Audience, ApiTexts> = { public: publicApi, operator: operatorApi };

const skeleton = ({ title, description, tags }: ApiTexts): Omit<OpenAPIObject, 'paths'> => {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setDescription(description)
    .setVersion(API_VERSION)
    .addExtension('x-gatehouse-version', VERSION, 'info')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'This server')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'sk_…', description: 'Secret key, sk_…' },
      'secretKey',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Secret key, sk_…' },
      'secretKeyHeader',
    )
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of a customer' },
      'accessToken',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-publishable-key', description: 'Publishable key, pk_…' },
      'publishableKey',
    )
    .addCookieAuth(
      OPERATOR_COOKIE,
      { type: 'apiKey', in: 'cookie', description: 'Session of a signed-in operator' },
      'operatorSession',
    );
  for (const [name, description] of Object.entries(tags)) builder.addTag(name, description);
  return builder.build();
};

/** Builds an OpenAPI document from the controllers and the metadata that their guards read. */
export function buildOpenApi(app: INestApplication, audience: Audience): OpenAPIObject {
  const document = SwaggerModule.createDocument(withOrderedControllers(app), skeleton(apiTexts[audience]));
  const isIncluded = ([path]: [string, unknown]) => isConsolePath(path) === (audience === 'operator');
  document.paths = Object.fromEntries(Object.entries(document.paths).filter(isIncluded));
  const schemas = { ...problemSchemas, ...document.components?.schemas };
  const problems = new ProblemResponses();
  document.components = {
    ...document.components,
    schemas,
    headers: responseHeaders,
    examples: problemExamples,
    responses: problems.shared,
  };
  for (const schema of Object.values(schemas)) completeSchema(schema);
  const routes = new RouteReader(app);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of operations(item)) {
      completeOperation(routes.read(method, path, operation), problems);
      completeContent(operation, schemas);
    }
  }
  removeUnreachableSchemas(document);
  return document;
}

/** Removes schemas that only the document for the other audience refers to. */
function removeUnreachableSchemas(document: OpenAPIObject): void {
  const { schemas = {}, ...components } = document.components!;
  const reachable = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (reachable.has(name!)) continue;
      reachable.add(name!);
      visit(schemas[name!]);
    }
  };
  visit({ paths: document.paths, components });
  const isReachable = ([name]: [string, unknown]) => reachable.has(name);
  document.components = {
    ...components,
    schemas: Object.fromEntries(Object.entries(schemas).filter(isReachable)),
  };
}

const operations = (item: PathItemObject): [string, OperationObject][] =>
  Object.entries(item as Record<string, OperationObject>);

function completeOperation(route: DocumentedRoute, problems: ProblemResponses): void {
  const { operation, credential } = route;
  Object.assign(operation, {
    description: [operation.description, describeRequirements(credential)].filter(Boolean).join('\n\n'),
    security: security(route),
    responses: responses(route, problems),
  });
  // Inherited routes would otherwise have the tag of the public route.
  if (isConsolePath(route.path)) operation.tags = ['Operators'];
  operation.parameters = parameters(route);
  if (operation.requestBody && route.bodyIsOptional) {
    Object.assign(operation.requestBody, { required: false });
  }
}

/** Returns a description of the required scopes, access or role. */
function describeRequirements(credential: RouteCredential): string {
  const { kinds, scopes, access } = credential;
  if (kinds.includes('operator'))
    return `Requires the operator role \`${requiredRole(credential)}\` or higher.`;
  const named = scopes.map((scope) => `\`${scope}\``).join(' and ');
  return [
    ...(named ? [`Requires a secret key with the scope${scopes.length > 1 ? 's' : ''} ${named}.`] : []),
    ...(access === 'organization' ? ['Requires a key with `organization` access.'] : []),
  ].join(' ');
}

/**
 * Returns one alternative for each way to send a credential. Since OpenAPI 3.1, security schemes of every type can list
 * scopes.
 */
const security = ({ credential: { kinds, scopes } }: DocumentedRoute): SecurityRequirementObject[] =>
  kinds.flatMap((kind) =>
    securitySchemes[kind].map((scheme) => ({ [scheme]: kind === 'secret-key' ? scopes : [] })),
  );

function parameters(route: DocumentedRoute): ParameterObject[] {
  const declared = (route.operation.parameters ?? []) as ParameterObject[];
  for (const parameter of declared.filter(({ in: location }) => location === 'path')) {
    Object.assign(parameter, pathParameterSchema(parameter.name));
  }
  return [
    ...declared,
    ...(acceptsIdempotencyKey(route) ? [idempotencyKey] : []),
    ...(acceptsIfMatch(route) ? [ifMatch] : []),
    ...(acceptsIfNoneMatch(route) ? [ifNoneMatch] : []),
  ];
}

const idempotencyKey: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Used only if the request contains a secret key, which may also be sent in addition to the credential of the route. A request that is repeated with the same Idempotency-Key within 24 hours is not executed again and returns the original response.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

const ifMatch: ParameterObject = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the object that the change is based on, or a list of them. If the object has a different one, it is not changed, and the response is 412 `precondition_failed`. `*` accepts any state, as does a request without the header.',
  schema: { type: 'string' },
};

const ifNoneMatch: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'An earlier `ETag`. If the object still has it, the response is 304 without a body.',
  schema: { type: 'string' },
};

/** Returns one response per status: the errors and the responses that the controller declares, with their headers. */
function responses(route: DocumentedRoute, problems: ProblemResponses): ResponsesObject {
  const { hasEntityTag } = route;
  const isReplayable = acceptsIdempotencyKey(route);
  const codes = problemCodes(route);
  const result: ResponsesObject = {};
  const statusOf = (code: ErrorCode): number => {
    const { status, refreshStatus }: ErrorEntry = errorCatalog[code];
    return (route.path === '/api/v1/auth/refresh' && refreshStatus) || status;
  };
  for (const status of new Set(codes.map(statusOf))) {
    const group = codes.filter((code) => statusOf(code) === status);
    result[status] = problems.get(group, route.path, isReplayable && storedErrorStatuses.has(status));
  }
  if (acceptsIfNoneMatch(route))
    result[304] = {
      description: 'The object has not changed',
      headers: headersFor(304, { hasEntityTag }),
    };
  const declared = route.operation.responses as Record<string, ResponseObject>;
  for (const [status, response] of Object.entries(declared)) {
    const headers = { ...headersFor(200, { isReplayable, hasEntityTag }), ...response.headers };
    result[status] = { ...response, description: response.description || STATUS_CODES[status]!, headers };
  }
  return result;
}
