import type {
  ExampleObject,
  ExamplesObject,
  HeaderObject,
  HeadersObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from '@nestjs/swagger';
import {
  errorCatalog,
  GatehouseError,
  idPrefixes,
  limitNames,
  reauthenticationMethods,
  type ErrorCode,
  type ErrorDetails,
  type LimitName,
} from '@gatehouse/domain';
import { problemDocument } from '../http/problems/problem.js';
import { EXAMPLE_ID, publicIdSchema } from '../http/input/text-schemas.js';

const EXAMPLE_URL = 'https://auth.example.com';

/** Additional members of problems with certain codes (contract, section 2). */
const memberSchemas: Record<string, SchemaObject> = {
  requiredScopes: {
    type: 'array',
    items: { type: 'string' },
    description: 'With `insufficient_scope`: the scopes that the key must have',
  },
  requiredAccess: {
    type: 'string',
    description: 'With `insufficient_access`: the access that the key must have',
  },
  requiredRole: {
    type: 'string',
    description: 'With `insufficient_role`: the role that the operator must have',
  },
  methods: {
    type: 'array',
    items: { type: 'string' },
    description: 'With `reauthentication_required`: the codes that the operator can enter',
  },
  provider: {
    type: 'string',
    description:
      'With `sso_required`: the slug of the identity provider with which the customer must sign in',
  },
  reasons: {
    type: 'array',
    items: { type: 'string' },
    description: 'With `weak_password`: the reasons why the password was rejected',
  },
  limit: {
    type: 'string',
    enum: limitNames,
    description: 'With `rate_limited` and `too_many_attempts`: the name of the limit that was reached',
  },
  customerId: {
    type: 'string',
    format: 'uuid',
    description: 'With `email_already_registered` and a secret key: the customer who has the email address',
  },
  redeliveredAs: {
    ...publicIdSchema('delivery'),
    description: 'With `already_redelivered`: the delivery that replaced this one',
  },
};

const text = (description: string): SchemaObject => ({ type: 'string', description });

const fieldError: SchemaObject = {
  type: 'object',
  required: ['field', 'code', 'message'],
  properties: {
    field: { ...text('Path of the field'), examples: ['settings.allowedOrigins'] },
    code: { ...text('Code of the error'), examples: ['required'] },
    message: text('Description of the error'),
  },
};

/** Schemas of problem documents (RFC 9457) for the two route families. */
export const problemSchemas: Record<string, SchemaObject> = {
  Problem: {
    type: 'object',
    description: 'An error. Some codes add further members.',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
    properties: {
      type: { type: 'string', format: 'uri', description: "URL of the code's documentation" },
      title: text('Short description, the same for every occurrence of the code'),
      status: { type: 'integer', description: 'HTTP status' },
      detail: text('Description of this occurrence for humans. Programs must not parse it'),
      code: {
        type: 'string',
        enum: Object.keys(errorCatalog),
        description: 'Error code for use in programs',
      },
      requestId: text('Same value as the X-Request-Id header'),
      errors: { type: 'array', items: fieldError, description: 'Fields with errors' },
      ...memberSchemas,
    },
  },
  V1Problem: {
    description: 'An error of a route under /v1.',
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      {
        type: 'object',
        required: ['success'],
        properties: { success: { type: 'boolean', enum: [false] } },
      },
    ],
  },
};

const header = (description: string, schema: SchemaObject, example: unknown): HeaderObject => ({
  description,
  required: true,
  schema,
  example,
});
const string: SchemaObject = { type: 'string' };

export const responseHeaders: Record<string, HeaderObject> = {
  'X-Request-Id': header('Id of the request. The log contains the same id', string, EXAMPLE_ID),
  'Retry-After': header('Seconds to wait before the next request', { type: 'integer', minimum: 0 }, 30),
  RateLimit: header(
    'Name of the rate limit, remaining requests and seconds until it resets',
    string,
    '"login";r=0;t=30',
  ),
  'RateLimit-Policy': header(
    'Name of the rate limit, its quota and its window in seconds',
    string,
    '"login";q=30;w=60',
  ),
  'WWW-Authenticate': header(
    'Authentication scheme that the route requires (RFC 9110, RFC 6750)',
    string,
    'Bearer',
  ),
  Allow: header('Methods that the path supports', string, 'GET, HEAD'),
  ETag: header(
    'Entity tag of the returned object. Every change of the object changes it',
    string,
    '"Vl7Bv5aFbbzhHjPYrDTyB9XGfBRZ6G3VdeSYv6bZ1tM"',
  ),
  'Idempotent-Replayed': {
    ...header(
      'Present if this is the stored response to an earlier request with the same Idempotency-Key',
      { type: 'string', enum: ['true'] },
      'true',
    ),
    required: false,
  },
};

const headersByStatus: Partial<Record<number, (keyof typeof responseHeaders)[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
};

/** Returns the headers of a response with this status. */
export const headersFor = (
  status: number,
  { isReplayable = false, hasEntityTag = false }: { isReplayable?: boolean; hasEntityTag?: boolean } = {},
): HeadersObject =>
  Object.fromEntries(
    [
      'X-Request-Id',
      ...(headersByStatus[status] ?? []),
      ...(isReplayable ? ['Idempotent-Replayed'] : []),
      ...(hasEntityTag ? ['ETag'] : []),
    ].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** Returns `V1` for the route family with `success` in every body, otherwise an empty string. */
const routeFamily = (path: string): string => (path.startsWith('/v1/') ? 'V1' : '');

/** Returns the component name of a code, such as `V1InvalidCursor`. */
const componentName = (code: ErrorCode, family: string): string =>
  family + code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Returns the response for a group of codes with the same status. */
function problemResponse(codes: ErrorCode[], family: string, isReplayable: boolean): ResponseObject {
  const { status } = errorCatalog[codes[0]!];
  // While the first request is in progress, the response contains Retry-After.
  const retry: HeadersObject = codes.includes('idempotency_in_progress')
    ? { 'Retry-After': { ...responseHeaders['Retry-After'], required: false } }
    : {};
  const examples = codes.map((code) => [
    code,
    { $ref: `#/components/examples/${componentName(code, family)}` },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCatalog[code].title}`).join('\n\n'),
    headers: { ...headersFor(status, { isReplayable }), ...retry },
    content: {
      'application/problem+json': {
        // Keywords next to a $ref narrow the schema. JSON Schema has allowed this since 2019-09, and therefore OpenAPI
        // since 3.1.
        schema: {
          $ref: `#/components/schemas/${family}Problem`,
          type: 'object',
          properties: { code: { type: 'string', enum: codes } },
        },
        examples: Object.fromEntries(examples) as ExamplesObject,
      },
    },
  };
}

/** Codes of errors before routing or in an unexpected body. */
const codesWithoutRoute: ErrorCode[] = [
  'invalid_json',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'headers_too_large',
  'unavailable',
];

/** The error responses of operations. Shared responses are stored once, as components of the document. */
export class ProblemResponses {
  readonly shared: Record<string, ResponseObject> = Object.fromEntries(
    ['', 'V1'].flatMap((family) =>
      codesWithoutRoute.map((code) => [componentName(code, family), problemResponse([code], family, false)]),
    ),
  );

  get(codes: ErrorCode[], path: string, isReplayable: boolean): ResponseObject | ReferenceObject {
    const family = routeFamily(path);
    if (codes.length > 1 || isReplayable) return problemResponse(codes, family, isReplayable);
    const name = componentName(codes[0]!, family);
    this.shared[name] ??= problemResponse(codes, family, false);
    return { $ref: `#/components/responses/${name}` };
  }
}

const exampleDetails: Partial<Record<ErrorCode, ErrorDetails>> = {
  validation_failed: { errors: [{ field: 'email', code: 'required', message: 'email is required' }] },
  weak_password: {
    errors: [{ field: 'password', code: 'weak', message: 'password is too weak' }],
    members: { reasons: ['too_common'] },
  },
  insufficient_scope: { members: { requiredScopes: ['customer:write'] } },
  insufficient_access: { members: { requiredAccess: 'organization' } },
  reauthentication_required: { members: { methods: [...reauthenticationMethods.password] } },
  sso_required: { members: { provider: 'acme' } },
  too_many_attempts: { members: { limit: 'failed-login' satisfies LimitName } },
  rate_limited: { members: { limit: 'login' satisfies LimitName } },
  email_already_registered: { members: { customerId: EXAMPLE_ID } },
  already_redelivered: { members: { redeliveredAs: `${idPrefixes.delivery}_${EXAMPLE_ID}` } },
};

/** One example for each code and route family, by component name. */
export const problemExamples: Record<string, ExampleObject> = Object.fromEntries(
  ['/api/v1/', '/v1/'].flatMap((path) =>
    (Object.keys(errorCatalog) as ErrorCode[]).map((code) => [
      componentName(code, routeFamily(path)),
      {
        summary: errorCatalog[code].title,
        value: problemDocument(new GatehouseError(code, exampleDetails[code]), {
          requestId: EXAMPLE_ID,
          publicUrl: EXAMPLE_URL,
          path,
        }),
      },
    ]),
  ),
);
