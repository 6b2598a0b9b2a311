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
import { OPERATOR_COOKIE, requiredRole, type CallerKind, type RouteCredential } from '#auth';
import { errorCatalogue } from '#domain';
import { VERSION } from '#platform';
import { isForConsole } from '../http/console-request.js';
import { keptStatuses } from '../http/idempotency.service.js';
import {
  handlerName,
  problemCodes,
  RouteReader,
  takesIdempotencyKey,
  type DocumentedRoute,
} from './documented-route.js';
import { aboutTheApi, tags } from './openapi-texts.js';
import {
  answerHeaders,
  headersOf,
  problemExamples,
  ProblemResponses,
  problemSchemas,
} from './problem-schemas.js';
import { completeContent, completeSchema, pathParameterSchema } from './schema-completion.js';

/** The ways in which each kind of credential is sent. */
const schemesOf: Record<CallerKind, string[]> = {
  'secret-key': ['secretKey', 'secretKeyHeader'],
  'publishable-key': ['publishableKey'],
  'access-token': ['accessToken'],
  operator: ['operatorSession'],
};

const skeleton = (): Omit<OpenAPIObject, 'paths'> => {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Gatehouse')
    .setDescription(aboutTheApi)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'Where this document is served')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'sk_…', description: 'Secret key, sk_…' },
      'secretKey',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Secret key, sk_…' },
      'secretKeyHeader',
    )
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: "A customer's access token" },
      'accessToken',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-publishable-key', description: 'Publishable key, pk_…' },
      'publishableKey',
    )
    .addCookieAuth(
      OPERATOR_COOKIE,
      { type: 'apiKey', in: 'cookie', description: 'The session of an operator who is signed in' },
      'operatorSession',
    );
  for (const [name, description] of Object.entries(tags)) builder.addTag(name, description);
  return builder.build();
};

/** The OpenAPI document, made from the controllers themselves and from what the guards read of them. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, skeleton(), { operationIdFactory: handlerName });
  const schemas = { ...problemSchemas, ...document.components?.schemas };
  const problems = new ProblemResponses();
  document.components = {
    ...document.components,
    schemas,
    headers: answerHeaders,
    examples: problemExamples,
    responses: problems.shared,
  };
  for (const schema of Object.values(schemas)) completeSchema(schema);
  const routes = new RouteReader(app);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of operationsOf(item)) {
      completeOperation(routes.read(method, path, operation), problems);
      completeContent(operation, schemas);
    }
  }
  return document;
}

const operationsOf = (item: PathItemObject): [string, OperationObject][] =>
  Object.entries(item as Record<string, OperationObject>);

function completeOperation(route: DocumentedRoute, problems: ProblemResponses): void {
  const { operation } = route;
  Object.assign(operation, texts(route), {
    security: security(route),
    responses: responses(route, problems),
  });
  // Routes that operators inherit would stand in the section of the others as well.
  if (isForConsole(route.path)) operation.tags = ['Operators'];
  operation.parameters = parameters(route);
  if (operation.requestBody && route.bodyIsOptional) {
    Object.assign(operation.requestBody, { required: false });
  }
}

/**
 * The first clause of the handler's doc comment is the summary, all of it the description. The id for clients is
 * made of the class and the method: `ApiKeysController.list` is `apiKeysList`.
 */
function texts({ operation, credential }: DocumentedRoute): Partial<OperationObject> {
  const comment = (operation.summary ?? '').replaceAll('\n', ' ');
  const [controller = '', method = ''] = operation.operationId!.split('.');
  const noun = controller.replace(/Controller$/, '');
  return {
    summary: /^.*?(?=[.;:](\s|$)|$)/.exec(comment)?.[0],
    description: [comment, needsOf(credential)].filter(Boolean).join('\n\n'),
    operationId:
      noun.charAt(0).toLowerCase() + noun.slice(1) + method.charAt(0).toUpperCase() + method.slice(1),
  };
}

/** What a credential must be able to do, in words. */
function needsOf(credential: RouteCredential): string {
  const { kinds, scopes, access } = credential;
  if (kinds.includes('operator')) return `Role of the operator, at least: \`${requiredRole(credential)}\`.`;
  const named = scopes.map((scope) => `\`${scope}\``).join(', ');
  return [
    ...(named ? [`Scopes of a secret key: ${named}.`] : []),
    ...(access === 'organization' ? ['Needs a key with `organization` access.'] : []),
  ].join(' ');
}

/** One alternative for each way to send a credential; OpenAPI 3.1 lets them name the scopes. */
const security = ({ credential: { kinds, scopes } }: DocumentedRoute): SecurityRequirementObject[] =>
  kinds.flatMap((kind) =>
    schemesOf[kind].map((scheme) => ({ [scheme]: kind === 'secret-key' ? scopes : [] })),
  );

function parameters(route: DocumentedRoute): ParameterObject[] {
  const declared = (route.operation.parameters ?? []) as ParameterObject[];
  for (const parameter of declared.filter((each) => each.in === 'path')) {
    Object.assign(parameter, pathParameterSchema(parameter.name, route.path));
  }
  return takesIdempotencyKey(route) ? [...declared, idempotencyKey] : declared;
}

const idempotencyKey: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Heeded with a secret key, also one beside the credential of the route: what is sent again under it within 24 hours is answered as before and not done twice.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

/** The errors, one answer for each status, and what the controller declares, with its headers. */
function responses(route: DocumentedRoute, problems: ProblemResponses): ResponsesObject {
  const isReplayable = takesIdempotencyKey(route);
  const codes = problemCodes(route);
  const answers: ResponsesObject = {};
  for (const status of new Set(codes.map((code) => errorCatalogue[code].status))) {
    const group = codes.filter((code) => errorCatalogue[code].status === status);
    answers[status] = problems.of(group, route.path, isReplayable && keptStatuses.has(status));
  }
  const declared = route.operation.responses as Record<string, ResponseObject>;
  for (const [status, response] of Object.entries(declared)) {
    const headers = { ...headersOf(200, isReplayable), ...response.headers };
    answers[status] = { ...response, description: response.description || STATUS_CODES[status]!, headers };
  }
  return answers;
}
