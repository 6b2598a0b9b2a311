import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SwaggerModule, type OpenAPIObject, type OperationObject } from '@nestjs/swagger';
import { createApi } from '../../apps/api/src/api.js';
import { registeredRoutes } from '../../apps/api/src/http/route-gate.js';
import { problemCodes, RouteReader } from '../../apps/api/src/reference/documented-route.js';
import { errorCatalog, scopes, type ErrorCode, type ErrorEntry } from '@gatehouse/domain';
import { createLogger, loadConfig, VERSION } from '@gatehouse/platform';
import { Conformance } from '../support/conformance.mjs';
import { formats, strictAjv } from '../support/json-schemas.mjs';
import { resolveReference } from '../support/resolve-reference.mjs';

type Json = Record<string, any>;

const EXAMPLE_UUID = '019aa2c0-7d1e-7000-8000-000000000000';

const document: Json = JSON.parse(readFileSync(process.env['TEST_OPENAPI']!, 'utf8'));
const operations = Object.entries(document['paths'] as Json).flatMap(([path, item]) =>
  Object.entries(item as Json).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation: operation as Json,
  })),
);
const resolve = (value: Json): Json => resolveReference(value, document) as Json;

const config = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1/nowhere',
  GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
  LOG_LEVEL: 'silent',
});

const codesOf = (operation: Json): ErrorCode[] =>
  Object.values(operation['responses'] as Json).flatMap(
    (response) =>
      resolve(response)['content']?.['application/problem+json']?.schema.properties.code.enum ?? [],
  );
const operationOf = (name: string): Json => operations.find((each) => each.name === name)!.operation;

/** Returns true for pages that browsers open, and for the OpenAPI documents themselves. */
const isPage = (path: string): boolean =>
  path.endsWith('/openapi.json') ||
  path.includes('/oauth/callback/') ||
  path.endsWith('/oidc/callback') ||
  !/^\/(api|v1|operator|\.well-known|livez|readyz)/.test(path);

/** The verbs with which a summary may start. */
const VERBS =
  /^(Accept|Add|Archive|Cancel|Change|Check|Complete|Confirm|Count|Create|Delete|Disable|Discard|Enable|Exchange|Export|Finish|Get|Import|Invite|List|Plan|Preview|Reauthenticate|Recover|Redeliver|Refresh|Regenerate|Register|Remove|Rename|Replace|Report|Request|Require|Resend|Reset|Revoke|Rotate|Search|Send|Sign|Skip|Start|Unlock|Update|Verify) /;

/** Returns an error code's documented status. One code has a different status on the token refresh route. */
const statusOf = (operation: string, code: ErrorCode): number => {
  const { status, refreshStatus }: ErrorEntry = errorCatalog[code];
  return operation === 'POST /api/v1/auth/refresh' && refreshStatus ? refreshStatus : status;
};

describe('each OpenAPI document', () => {
  test('contains the API version and the Gatehouse version', () => {
    expect(document['info']).toMatchObject({ version: '1.0', 'x-gatehouse-version': VERSION });
  });

  test('contains exactly the routes of the API, which registers the most frequent ones first', async () => {
    const api = await createApi(config, createLogger(config, 'test'));
    const routes = registeredRoutes(api.express).filter(({ path }) => !isPage(path));
    await api.app.close();
    const names = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const mostFrequent = ['POST /api/v1/auth/refresh', 'POST /api/v1/auth/login', 'GET /api/v1/me'];
    // Express matches routes in registration order, which depends on the order of modules.
    expect(names.slice(0, 20)).toEqual(expect.arrayContaining(mostFrequent));
    expect(operations.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  test('gives each operation an explicit, unique id that can be a method name', () => {
    const ids = operations.map(({ path, operation }) => [
      path.startsWith('/operator/') ? 'operator' : 'public',
      operation['operationId'] as string,
    ]);
    expect(ids.filter(([, id]) => !/^[a-z][A-Za-z]+\.[a-z][A-Za-z]+$/.test(id!))).toEqual([]);
    expect(new Set(ids.map(String)).size).toBe(ids.length);
  });

  test('gives each operation a summary, a description, a section, headers and errors', () => {
    const sections = (document['tags'] as Json[]).map(({ name }) => name as string);
    const used = operations.map(({ operation }) => operation['tags'][0] as string);
    expect(sections.filter((name) => !used.includes(name))).toEqual([]);
    const problems = operations.flatMap(({ name, operation }) => {
      const { summary, description, tags, parameters, responses } = operation;
      const found: string[] = [];
      // Imperative, at most eight words, no full stop.
      if (!VERBS.test(summary) || !/^(\S+ ){1,7}\S*[^.\s]$/.test(summary)) found.push(`summary ${summary}`);
      if (!/^[A-Z`].*\.$/s.test(description)) found.push(`description ${description}`);
      if (tags.length !== 1 || !sections.includes(tags[0])) found.push('section');
      for (const parameter of parameters as Json[])
        if (!parameter['description']) found.push(`description of ${parameter['name']}`);
      for (const [status, response] of Object.entries(responses as Json)) {
        const { description: text, headers, content = {} } = resolve(response);
        if (!text) found.push(`description of ${status}`);
        if (!('X-Request-Id' in headers)) found.push(`X-Request-Id of ${status}`);
        const isProblem = 'application/problem+json' in content;
        if (isProblem && ['429', '503'].includes(status) && !('Retry-After' in headers))
          found.push(`Retry-After of ${status}`);
      }
      if (!codesOf(operation).includes('internal_error')) found.push('internal_error');
      return found.map((problem) => `${name}: ${problem}`);
    });
    expect(problems).toEqual([]);
  });

  test('lists each error code under its own status, and every code at least once', () => {
    const misplaced = operations.flatMap(({ name, operation }) =>
      Object.entries(operation['responses'] as Json).flatMap(([status, response]) =>
        codesOf({ responses: { [status]: response } })
          .filter((code) => String(statusOf(name, code)) !== status)
          .map((code) => `${name}: ${code}`),
      ),
    );
    expect(misplaced).toEqual([]);
    const everywhere = codesOf({ responses: document['components'].responses });
    const documented = new Set([...operations.flatMap(({ operation }) => codesOf(operation)), ...everywhere]);
    expect((Object.keys(errorCatalog) as ErrorCode[]).filter((code) => !documented.has(code))).toEqual([]);
  });

  test('gives every JSON body an example', () => {
    const withoutExample = operations.flatMap(({ name, operation }) =>
      [operation['requestBody'], ...Object.values(operation['responses'] as Json)]
        .filter(Boolean)
        .map((body: Json) => (resolve(body)['content']?.['application/json'] ?? {}) as Json)
        .filter(({ schema, example }) => schema && example === undefined)
        .map(() => name),
    );
    expect(withoutExample).toEqual([]);
  });

  test('contains only examples and defaults that match their schema, with RFC 3986 URLs', () => {
    const uri = (text: string): boolean => URL.canParse(text) && /^[!-~]+$/.test(text);
    const conformance = new Conformance(document, { formats: { ...formats, uri } });
    const checked = new Set<string>();
    const found: string[] = [];
    const check = (path: string, schema: Json, values: unknown[]): void => {
      for (const value of values) {
        checked.add(path);
        found.push(...conformance.findValueProblems(schema, value).map((problem) => `${path}: ${problem}`));
      }
    };
    const valuesOf = ({ example, examples = [], default: standard }: Json): unknown[] => [
      ...[example, standard].filter((value) => value !== undefined),
      ...(Array.isArray(examples)
        ? examples
        : Object.values(examples as Json).map((each) => resolve(each)['value'] as unknown)),
    ];
    /** Schemas have examples, as do the parameters, headers and bodies that contain a schema. */
    const visit = (path: string, value: unknown, isMap = false): void => {
      if (typeof value !== 'object' || value === null) return;
      const node = value as Json;
      const schema: Json = node['schema'] ?? node;
      const isSchema = ['type', '$ref', 'enum', 'anyOf', 'oneOf', 'allOf'].some((key) => key in schema);
      if (!isMap && isSchema) check(path, schema, valuesOf(node));
      for (const [key, member] of Object.entries(node))
        if (isMap || !['example', 'examples', 'default'].includes(key))
          visit(
            `${path}/${key}`,
            member,
            ['properties', 'schemas', 'headers', 'responses'].includes(key) && !isMap,
          );
    };
    visit('', document['paths'], true);
    visit('', document['components']);
    expect(found).toEqual([]);
    expect(checked.size).toBeGreaterThan(500);
  });

  test('uses JSON Schema 2020-12, as OpenAPI 3.1 requires, and no keywords from 3.0', () => {
    expect(document['openapi']).toBe('3.1.0');
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/"nullable":|"exclusiveM\w+":(true|false)/);
    const ajv = strictAjv({ strictTypes: false });
    for (const schema of Object.values(document['components'].schemas as Json)) {
      expect(ajv.validateSchema({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' })).toBe(
        true,
      );
    }
  });
});

describe('each schema of a request or response', () => {
  /** A string schema in the document, with its field or parameter name. */
  interface NamedSchema {
    path: string;
    name: string;
    schema: Json;
  }

  /** Returns every string schema below a value, with its field or parameter name. */
  function listStrings(path: string, name: string, value: Json): NamedSchema[] {
    const list = (key: string, member: unknown, inner = key): NamedSchema[] =>
      listStrings(`${path}.${key}`, inner, member as Json);
    const types = [value['type']].flat();
    const applicators = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (value[key] ?? []) as Json[]);
    return [
      ...(types.includes('string') && !value['enum'] ? [{ path, name, schema: value }] : []),
      ...Object.entries((value['properties'] ?? {}) as Json).flatMap(([key, member]) => list(key, member)),
      ...(value['items'] ? list('items', value['items'], name) : []),
      ...applicators.flatMap((member) => list('of', member, name)),
    ];
  }

  const requestSchemas = (): Set<string> => {
    const found = new Set<string>();
    const visit = (value: unknown): void => {
      for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        if (found.has(name!)) continue;
        found.add(name!);
        visit(document['components'].schemas[name!]);
      }
    };
    visit(operations.map(({ operation }) => operation['requestBody'] ?? null));
    return found;
  };

  const listAllStrings = (): NamedSchema[] => [
    ...Object.entries(document['components'].schemas as Json).flatMap(([name, schema]) =>
      listStrings(name, name, schema as Json),
    ),
    ...operations.flatMap(({ name, operation }) => [
      ...(operation['parameters'] as Json[]).flatMap((parameter) =>
        listStrings(`${name} ${parameter['name']}`, parameter['name'], parameter['schema']),
      ),
      ...Object.entries(operation['responses'] as Json).flatMap(([status, response]) =>
        listStrings(
          `${name} ${status}`,
          '',
          resolve(response)['content']?.['application/json']?.schema ?? {},
        ),
      ),
    ]),
  ];

  test('rejects unknown fields in requests, but not in responses', () => {
    const requestSchemaNames = requestSchemas();
    const wrong = Object.entries(document['components'].schemas as Json).filter(
      ([name, { properties, additionalProperties }]) =>
        properties && (additionalProperties === false) !== requestSchemaNames.has(name),
    );
    expect(wrong.map(([name]) => name)).toEqual([]);
    expect(requestSchemaNames.size).toBeGreaterThan(20);
  });

  test('describes the format of every slug, id, cursor and URL', () => {
    /** Ids from other systems, and strings in any format. */
    const freeIds = /^(externalId|requestId|targetId)$|^SearchResultResponse/;
    const isCreated =
      /^(BillingPortalResponse|IdentityProviderResponse|InvitedOperatorResponse|OAuthUrlResponse)\./;
    const withoutForm = listAllStrings().filter(({ path, name, schema }) => {
      const { pattern, format, minLength, maxLength } = schema;
      if (name === 'slug') return !(pattern && minLength && maxLength);
      if (/cursor$/i.test(name)) return !(pattern && minLength && maxLength);
      if (/(^|_)ids?$|Ids?$|redelivery_?[oO]f|redelivered_?[aA]s|rotatedFrom/.test(name))
        return !freeIds.test(name) && !freeIds.test(path) && format !== 'uuid' && !/^\^/.test(pattern ?? '');
      if (/(^|_)url$|Urls?$|Origins$/.test(name))
        return format !== 'uri' || (!maxLength && !isCreated.test(path));
      return false;
    });
    expect(withoutForm.map(({ path }) => path)).toEqual([]);
  });

  test('describes ids of the /v1 family by their prefix, including those in console paths', () => {
    const { parameters } = operationOf('POST /operator/v1/webhooks/endpoints/{endpointId}/enable');
    const { pattern } = parameters[0].schema;
    expect(`ep_${EXAMPLE_UUID}`).toMatch(new RegExp(pattern));
    expect(EXAMPLE_UUID).not.toMatch(new RegExp(pattern));
    const delivery = operationOf('GET /v1/webhooks/deliveries/{deliveryId}')['parameters'][0].schema.pattern;
    for (const id of [`dlv_${EXAMPLE_UUID}`, `att_${EXAMPLE_UUID}`]) expect(id).toMatch(new RegExp(delivery));
  });

  test('describes fractions as numbers and all other numbers as integers', () => {
    const fractions = Object.entries(document['components'].schemas as Json).flatMap(([name, schema]) =>
      Object.entries((schema.properties ?? {}) as Json)
        .filter(([, { type }]) => [type].flat().includes('number'))
        .map(([field]) => `${name}.${field}`),
    );
    expect(fractions.sort()).toEqual([
      'EndpointStatsResponse.success_rate',
      'OverviewEndpoint.successRate',
      'OverviewTotals.successRate',
    ]);
  });

  test("describes an attempt's delivery_state and next_attempt_at as current, not historical", () => {
    const { delivery_state: state, next_attempt_at: next } =
      document['components'].schemas.AttemptResponse.properties;
    expect(state.description).toMatch(/current state of the delivery/i);
    expect(next.description).toMatch(/All attempts of a delivery have the same value/);
  });
});

describe('documentation generated from guards', () => {
  test('contains the schemes, scopes and errors for a secret key', () => {
    const create = operationOf('POST /api/v1/customers');
    expect(create['security']).toEqual([
      { secretKey: ['customer:write'] },
      { secretKeyHeader: ['customer:write'] },
    ]);
    const expected = `invalid_json validation_failed multiple_credentials invalid_api_key wrong_credential_type
      insufficient_scope payload_too_large unsupported_media_type rate_limited idempotency_in_progress
      idempotency_key_reused unavailable`;
    expect(codesOf(create)).toEqual(expect.arrayContaining(expected.split(/\s+/)));
    expect(codesOf(create)).not.toContain('invalid_access_token');
    expect(codesOf(create)).not.toContain('insufficient_access');
    expect(codesOf(operationOf('POST /api/v1/organizations'))).toContain('insufficient_access');
  });

  test('contains the scheme for an access token, for a publishable key or for no credential', () => {
    const me = operationOf('GET /api/v1/me');
    expect(me['security']).toEqual([{ accessToken: [] }]);
    expect(codesOf(me)).toEqual(expect.arrayContaining(['invalid_access_token', 'origin_not_allowed']));
    expect(codesOf(me)).not.toContain('rate_limited');
    expect(codesOf(me)).not.toContain('invalid_json');
    expect(operationOf('POST /api/v1/auth/login')['security']).toEqual([{ publishableKey: [] }]);
    const refresh = operationOf('POST /api/v1/auth/refresh');
    expect(refresh['security']).toEqual([]);
    expect(codesOf(refresh)).not.toContain('wrong_credential_type');
  });

  test('contains the scheme for operator sessions, even on console copies of key routes', () => {
    const schemes = document['components'].securitySchemes;
    expect(schemes.operatorSession).toMatchObject({
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-gatehouse_operator',
    });
    const shared = operationOf('PATCH /operator/v1/projects/{projectId}');
    expect(shared['security']).toEqual([{ operatorSession: [] }]);
    expect(shared['description']).toContain('Requires the operator role `admin` or higher.');
    expect(shared['description']).not.toContain('secret key');
    expect(codesOf(shared)).toEqual(
      expect.arrayContaining(['operator_session_required', 'insufficient_role', 'cross_site_request']),
    );
    expect(codesOf(shared)).not.toContain('insufficient_scope');
    const signIn = operationOf('POST /operator/v1/session');
    expect(signIn['security']).toEqual([]);
    expect(codesOf(signIn)).toEqual(expect.arrayContaining(['cross_site_request', 'rate_limited']));
    expect(codesOf(operationOf('GET /operator/v1/projects'))).not.toContain('cross_site_request');
  });

  test('contains only existing scopes', () => {
    const named = operations.flatMap(({ operation }) =>
      (operation['security'] as Record<string, string[]>[]).flatMap((option) => Object.values(option).flat()),
    );
    expect([...new Set(named)].filter((scope) => !(scopes as readonly string[]).includes(scope))).toEqual([]);
  });

  test('marks a request body as required unless the route accepts requests without one', () => {
    expect(operationOf('POST /api/v1/auth/logout')['requestBody'].required).toBe(false);
    expect(operationOf('POST /api/v1/auth/login')['requestBody'].required).toBe(true);
  });

  test('contains Idempotency-Key on every POST outside the console, and error headers', () => {
    for (const { name, path, method, operation } of operations) {
      const names = (operation['parameters'] as Json[]).map((parameter) => parameter['name']);
      const isExpected = method === 'post' && !path.startsWith('/operator/');
      expect({ name, isExpected: names.includes('Idempotency-Key') }).toEqual({ name, isExpected });
    }
    const { responses } = operationOf('POST /api/v1/auth/login');
    expect(Object.keys(resolve(responses['401'])['headers'])).toContain('WWW-Authenticate');
    expect(Object.keys(resolve(responses['429'])['headers'])).toEqual(
      expect.arrayContaining(['Retry-After', 'RateLimit', 'RateLimit-Policy']),
    );
    expect(Object.keys(responses['200'].headers)).toContain('Idempotent-Replayed');
    expect(Object.keys(document['components'].responses.MethodNotAllowed.headers)).toContain('Allow');
  });

  test('documents 304 for GETs with an ETag, except customers and operators; 412 for PATCHes', () => {
    const tagged = operations.filter(
      ({ operation }) => 'ETag' in (operation['responses'][200]?.headers ?? {}),
    );
    const paths = [
      'customers/{customerId}',
      'projects/{projectId}',
      'projects/{projectId}/identity-providers/{providerId}',
      'projects/{projectId}/mail-templates/{kind}/{language}',
      'organizations/{organizationId}',
      'webhooks/endpoints/{endpointId}',
    ];
    const names = paths.flatMap((path) => {
      const family = path.startsWith('webhooks') ? '/v1' : '/api/v1';
      return [`GET ${family}/${path}`, `PATCH ${family}/${path}`];
    });
    const isPublic = ({ path }: { path: string }) => !path.startsWith('/operator/');
    expect(
      tagged
        .filter(isPublic)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names.sort());
    // Operators exist only in the console.
    expect(tagged).toHaveLength(2 * names.length + 2);
    const neverCached = ['customers', 'operators'];
    for (const { name, operation, method, path } of tagged) {
      const isCached = method !== 'get' || !neverCached.includes(path.split('/')[3]!);
      const [header, status] = method === 'get' ? ['If-None-Match', '304'] : ['If-Match', '412'];
      const parameters = ((operation['parameters'] ?? []) as Json[]).map((parameter) => parameter['name']);
      expect([name, parameters.includes(header), status in operation['responses']]).toEqual([
        name,
        isCached,
        isCached,
      ]);
    }
  });
});

describe('a controller', () => {
  test('does not repeat the errors of its guards and inputs', async () => {
    const api = await createApi(config, createLogger(config, 'test'));
    const plainDocument = SwaggerModule.createDocument(api.app, {} as OpenAPIObject);
    const reader = new RouteReader(api.app);
    const repeated = Object.entries(plainDocument.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, OperationObject>).flatMap(([method, operation]) => {
        const route = reader.read(method, path, operation);
        const known = problemCodes({ ...route, problems: [] });
        return route.problems
          .filter((code) => known.includes(code))
          .map((code) => `${method} ${path}: ${code}`);
      }),
    );
    await api.app.close();
    expect(repeated).toEqual([]);
  });
});

describe('the comparison of responses with the OpenAPI document', () => {
  const conformance = new Conformance(document);
  const responseInfo = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
    status,
    text: body === undefined ? '' : JSON.stringify(body),
    headers: new Headers({ 'x-request-id': 'r', 'content-type': 'application/json', ...headers }),
  });
  const requestInfo = (method: string, path: string) => ({
    method,
    url: `http://gatehouse${path}`,
    hasBody: false,
  });
  const customer = operationOf('GET /api/v1/customers/{customerId}')['responses']['200'].content[
    'application/json'
  ].example as Json;
  const findProblems = (body: unknown, headers?: Record<string, string>) =>
    conformance.findProblems(
      requestInfo('GET', `/api/v1/customers/${customer['id']}`),
      responseInfo(200, body, { etag: '"a"', ...headers }),
    );

  const findResponseProblems = (
    method: string,
    path: string,
    ...response: Parameters<typeof responseInfo>
  ): string[] => conformance.findProblems(requestInfo(method, path), responseInfo(...response));
  const withoutRequestId = {
    ...responseInfo(200, { status: 'ok' }),
    headers: new Headers({ 'content-type': 'application/json' }),
  };
  const nonconformingResponses: [label: string, found: string[], message: RegExp][] = [
    ['a member that is not documented', findProblems({ ...customer, passwordHash: 'x' }), /passwordHash/],
    [
      'a member that is missing',
      findProblems({ ...customer, email: undefined }),
      /required property 'email'/,
    ],
    ['a member of the wrong type', findProblems({ ...customer, emailVerified: 'yes' }), /must be boolean/],
    [
      'a time without milliseconds',
      findProblems({ ...customer, createdAt: '2026-01-01T00:00:00Z' }),
      /format/,
    ],
    ['an undocumented content type', findProblems(customer, { 'content-type': 'text/plain' }), /text\/plain/],
    [
      'a missing header',
      conformance.findProblems(requestInfo('GET', '/livez'), withoutRequestId),
      /X-Request-Id is missing/,
    ],
    ['an undocumented status', findResponseProblems('GET', '/livez', 418, {}), /status is not documented/],
    ['a body after 204', findResponseProblems('DELETE', '/api/v1/me/sessions/1', 204, {}), /body/],
    ['an undocumented path', findResponseProblems('GET', '/api/v2/me', 200, {}), /status is not documented/],
  ];
  test('finds every undocumented difference, and accepts documented responses', () => {
    expect(findProblems(customer)).toEqual([]);
    const missed = nonconformingResponses.filter(([, found, message]) => !message.test(found.join('\n')));
    expect(missed.map(([label]) => label)).toEqual([]);
  });
});
