import { randomUUID } from 'node:crypto';
import fc, { type Arbitrary } from 'fast-check';
import { insertTotpFactor } from './customer-factors.js';
import { newProvider } from './identity-providers/provider-requests.js';
import { insertIdentity } from './identity-providers/insert-provider.js';
import { insertPasskey } from './passkeys.js';
import { testWorker } from './test-worker.js';
import { PASSWORD, type TestInstance } from './test-instance.js';
import { CONSOLE_HEADER, insertOperator } from './operator-client.js';

type Json = Record<string, any>;

export interface Operation {
  name: string;
  method: string;
  path: string;
  spec: Json;
}

/** A request as it is sent. */
export interface GeneratedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Existing ids and secrets, by the name of the field or parameter that accepts them. */
export interface ValuePool {
  values: Record<string, string[]>;
  keys: Record<'secretKey' | 'projectKey' | 'publishableKey' | 'accessToken' | 'operatorSession', string>;
}

/** Returns the document's operations. */
export const listOperations = (): Operation[] =>
  Object.entries(testWorker!.conformance().document['paths'] as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, spec]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      spec: spec as Json,
    })),
  );

/**
 * Creates objects that no other request depends on (a customer, a project, a key and so on), because operations may
 * delete or disable them.
 */
export async function createPool(instance: TestInstance): Promise<ValuePool> {
  const { secretKey, projectSecretKey, publishableKey, organizationId, projectId } = instance.credentials;
  // Without this, the endpoints from all pools would reach the project's limit.
  await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
  // Generated settings, such as a high minimum password length, would prevent the registration below.
  const settings = { mfa: 'optional', signIn: { emailCode: true, passkey: true } };
  await instance.sql('UPDATE projects SET settings = $2 WHERE id = $1', [projectId, settings]);
  const endpoint = await instance.createEndpoint('http://127.0.0.1:9/hook');
  const email = `${randomUUID()}@example.com`;
  const { customer, tokens } = (await instance.register(email)).body as Json;
  const me = (method: string, path: string, body?: unknown) =>
    instance.requestWithAccessToken(tokens.accessToken as string, method, `/api/v1/me${path}`, body);
  const [project, imported, sessions] = await Promise.all([
    instance.requestWithSecretKey('POST', '/api/v1/projects', { name: 'Spare' }),
    instance.requestWithSecretKey('POST', '/api/v1/customers/import', {
      customers: [{ email: `imported-${email}` }],
    }),
    me('GET', '/sessions'),
    me('POST', '/email', { email: `new-${email}`, password: PASSWORD }),
    instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email }),
  ]);
  const spare = project.body.id as string;
  const factorId = await insertTotpFactor(instance, customer.id);
  const passkeyId = await insertPasskey(instance, customer.id);
  const identityId = await insertIdentity(instance, customer.id);
  // Without a recent factor, no account change would be allowed.
  await instance.sql('UPDATE sessions SET factor_time = now() WHERE customer_id = $1', [customer.id]);
  const [key, provider, mails, [delivery]] = await Promise.all([
    instance.requestWithSecretKey('POST', `/api/v1/projects/${spare}/api-keys`, { name: 'Spare' }),
    instance.requestWithSecretKey(
      'POST',
      `/api/v1/projects/${spare}/identity-providers`,
      newProvider({ issuer: 'http://127.0.0.1:9', domains: ['acme.example'] }),
    ),
    instance.requestWithSecretKey('GET', `/api/v1/mailbox?email=${email}`),
    // No worker runs, so this statement creates the dead letter.
    instance.sql(
      `UPDATE deliveries SET state = 'failed', attempt = 5, next_attempt_at = NULL, finished_at = now(),
         last_http_status = 500, last_error = 'http_error'
       WHERE id = (SELECT id FROM deliveries ORDER BY id DESC LIMIT 1) RETURNING id, event_id`,
    ),
  ]);
  const plan = await instance.requestWithSecretKey('POST', '/v1/webhooks/redeliveries', {
    filter: { endpoint_id: endpoint.id },
  });
  const links = (mails.body.data as Json[]).map((mail) => new URL(mail['link'] as string));
  return {
    keys: {
      secretKey,
      projectKey: projectSecretKey,
      publishableKey,
      accessToken: tokens.accessToken,
      operatorSession: (await insertOperator(instance)).cookie!,
    },
    values: {
      organizationId: [organizationId],
      projectId: [spare, projectId],
      project_id: [spare, projectId],
      operatorId: [(await insertOperator(instance, 'viewer')).operator.id],
      keyId: [key.body.id],
      providerId: [provider.body.id],
      domain: ['acme.example', 'other.example'],
      customerId: [customer.id],
      sessionId: [sessions.body.data[0].id],
      factorId: [factorId],
      passkeyId: [passkeyId],
      identityId: [identityId],
      importId: [imported.body.id],
      endpointId: [endpoint.id],
      endpoint_id: [endpoint.id],
      deliveryId: [`dlv_${delivery!['id']}`],
      redeliveryId: [plan.body.data.id],
      since: [new Date(Date.now() - 60_000).toISOString()],
      eventId: [`evt_${delivery!['event_id']}`],
      kind: ['verify-email', 'password-changed'],
      language: ['de', 'fr'],
      email: [email],
      password: [PASSWORD],
      currentPassword: [PASSWORD],
      newPassword: [PASSWORD],
      refreshToken: [tokens.refreshToken],
      token: links.map(({ searchParams }) => searchParams.get('token')!),
    },
  };
}

const getSchema = (schema: Json): Json => {
  if (!schema['$ref']) return schema;
  const { $ref, ...own } = schema;
  return {
    ...testWorker!.conformance().document['components'].schemas[($ref as string).split('/').at(-1)!],
    ...own,
  };
};

/** Strings that have caused errors in other systems, and random strings. */
const hostileTexts = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '../..',
    "'; DROP TABLE customers; --",
    '%00',
    '\ud800',
    '🙈'.repeat(200),
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
);

const byFormat: Record<string, Arbitrary<string>> = {
  uuid: fc.uuid({ version: 7 }),
  email: fc.nat().map((number) => `generated-${number}@example.com`),
  uri: fc.webUrl(),
  'date-time': fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
};

/** Generates values that match a schema. If the pool has values for the name, most of them come from the pool. */
function validValue(schema: Json, pool: ValuePool, name = ''): Arbitrary<unknown> {
  const { type, enum: values, examples, properties = {}, required = [], ...rest } = getSchema(schema);
  const known = pool.values[name];
  if (known) {
    const generated = validValue(schema, { ...pool, values: {} });
    const existing = { weight: 6, arbitrary: fc.constantFrom(...known) };
    return fc.oneof(existing, generated, fc.constantFrom(...known).map(changeLastCharacter));
  }
  if (values) return fc.constantFrom(...(values as unknown[]));
  const choices: Arbitrary<unknown>[] =
    (examples as unknown[] | undefined)?.map((value) => fc.constant(value)) ?? [];
  const alternatives = (rest['oneOf'] ?? rest['anyOf']) as Json[] | undefined;
  if (alternatives) choices.push(...alternatives.map((each) => validValue(each, pool, name)));
  for (const each of [type ?? []].flat() as string[])
    choices.push(valueWithType(each, { properties, required, ...rest }, pool));
  return choices.length > 0 ? fc.oneof(...choices) : fc.jsonValue();
}

/** Replaces a string's last character. */
const changeLastCharacter = (text: string): string => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

function valueWithType(type: string, schema: Json, pool: ValuePool): Arbitrary<unknown> {
  const { minimum = 0, maximum = 1_000, minLength = 0, maxLength = 200, minItems = 0, maxItems = 5 } = schema;
  switch (type) {
    case 'object': {
      const members = Object.entries(schema['properties'] as Json).map(([name, each]) => [
        name,
        validValue(each, pool, name),
      ]);
      if (members.length === 0)
        return fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue(), { maxKeys: 5 });
      return fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, {
        requiredKeys: schema['required'] as string[],
      });
    }
    case 'array':
      return fc.array(validValue((schema['items'] ?? {}) as Json, pool), {
        minLength: minItems,
        maxLength: Math.min(maxItems, 5),
      });
    case 'integer':
      return fc.integer({ min: minimum, max: maximum });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return (
        byFormat[schema['format'] as string] ?? fc.string({ minLength, maxLength: Math.min(maxLength, 200) })
      );
  }
}

/** Generates bodies that violate the schema or are not valid JSON. */
function invalidBody(schema: Json, pool: ValuePool): Arbitrary<string> {
  const { properties = {} } = getSchema(schema);
  const valid = validValue(schema, pool) as Arbitrary<Json>;
  const name = fc.constantFrom(...Object.keys(properties as Json), 'unknownField', 'toString');
  const changed = fc
    .tuple(valid, name, fc.oneof(hostileTexts, fc.jsonValue({ maxDepth: 3 })))
    .map(([body, field, value]) => JSON.stringify({ ...body, [field]: value }));
  const missing = fc
    .tuple(valid, name)
    .map(([body, field]) => JSON.stringify({ ...body, [field]: undefined }));
  const malformed = fc.constantFrom(
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '{"__proto__":{}}',
    `${'['.repeat(40)}`,
    '\ufeff{}',
  );
  return fc.oneof({ weight: 3, arbitrary: changed }, missing, malformed, fc.json({ maxDepth: 3 }));
}

function requestBody({ spec }: Operation, pool: ValuePool): Arbitrary<string | undefined> {
  const schema = spec['requestBody']?.content['application/json']?.schema as Json | undefined;
  if (!schema) return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.json({ maxDepth: 1 }));
  const valid = validValue(schema, pool).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 5, arbitrary: valid },
    { weight: 4, arbitrary: invalidBody(schema, pool) },
    fc.constant(undefined),
  );
}

const absent = fc.constant(null);

function requestPath({ path: template, spec }: Operation, pool: ValuePool): Arbitrary<string> {
  const parameters = spec['parameters'] as Json[];
  const inPath = parameters.filter((parameter) => parameter['in'] === 'path');
  const inQuery = parameters.filter((parameter) => parameter['in'] === 'query');
  const segment = (parameter: Json) =>
    fc.oneof(
      { weight: 8, arbitrary: validValue(parameter['schema'], pool, parameter['name']) },
      fc.uuid(),
      hostileTexts.map((text) => text || '-'),
    );
  const query = (parameter: Json) => {
    const valid = validValue(parameter['schema'] as Json, pool, parameter['name'] as string);
    return fc.oneof({ weight: 12, arbitrary: absent }, { weight: 3, arbitrary: valid }, hostileTexts);
  };
  const extraParameter = fc.oneof(
    { weight: 12, arbitrary: absent },
    fc.tuple(fc.constantFrom('unknown', 'limit', 'cursor', 'limit[]'), hostileTexts),
  );
  return fc
    .tuple(fc.tuple(...inPath.map(segment)), fc.tuple(...inQuery.map(query)), extraParameter)
    .map(([segments, values, extra]) => {
      const filled = inPath.reduce(
        (text, { name }, index) => text.replace(`{${name}}`, escapeSegment(String(segments[index]))),
        template,
      );
      const pairs = inQuery
        .map(({ name }, index) => [name as string, values[index]] as [string, unknown])
        .filter(([, value]) => value !== null);
      const search = [...pairs, ...(extra ? [extra] : [])]
        .map(([name, value]) => `${escapeSegment(name)}=${escapeSegment(String(value))}`)
        .join('&');
      return search ? `${filled}?${search}` : filled;
    });
}

/**
 * Encodes a path segment or a part of a query. Dots are encoded as well, because clients remove dot segments before
 * they send a URL.
 */
const escapeSegment = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E');

function requestHeaders(operation: Operation, pool: ValuePool): Arbitrary<Record<string, string>> {
  const { secretKey, projectKey, publishableKey, accessToken, operatorSession } = pool.keys;
  const cookie = `__Host-gatehouse_operator=${operatorSession}`;
  const headersByScheme: Record<string, Record<string, string>[]> = {
    secretKey: [{ authorization: `Bearer ${secretKey}` }, { 'x-api-key': projectKey }],
    publishableKey: [{ 'x-publishable-key': publishableKey }],
    accessToken: [{ authorization: `Bearer ${accessToken}` }],
    operatorSession: [{ cookie, ...CONSOLE_HEADER }],
  };
  const options = (operation.spec['security'] as Json[]).flatMap(
    (option) => headersByScheme[Object.keys(option)[0]!] ?? [],
  );
  const valid = fc.constantFrom(...(options.length > 0 ? options : [{}]));
  const invalid = fc.constantFrom<Record<string, string>>(
    ...Object.values(headersByScheme).flat(),
    {},
    { cookie },
    { cookie: '__Host-gatehouse_operator=nonsense' },
    { authorization: 'Bearer nonsense' },
    { authorization: `Basic ${secretKey}` },
    { 'x-api-key': `${secretKey.slice(0, -1)}!` },
    { authorization: `Bearer ${secretKey}`, 'x-api-key': projectKey },
    { authorization: `Bearer ${accessToken}`, 'x-publishable-key': publishableKey },
  );
  const optionalHeaders = fc.record(
    {
      'idempotency-key': fc.constantFrom('again', 'once more', 'x'.repeat(256)),
      'x-request-id': fc.constantFrom('mine', '../../x', 'x'.repeat(200)),
      'x-client-ip': fc.constantFrom('203.0.113.7', '::1', 'nobody'),
      origin: fc.constantFrom('https://app.example.com', 'null'),
      'content-type': fc.constantFrom(
        'text/plain',
        'application/json; charset=utf-16',
        'application/x-ndjson',
      ),
    },
    { requiredKeys: [] },
  );
  const extraHeaders = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, optionalHeaders);
  return fc
    .tuple(fc.oneof({ weight: 7, arbitrary: valid }, { weight: 2, arbitrary: invalid }), extraHeaders)
    .map(([credential, extra]) => ({ 'content-type': 'application/json', ...credential, ...extra }));
}

/** Generates requests for an operation: valid, invalid and partly valid. */
export const requestArbitrary = (operation: Operation, pool: ValuePool): Arbitrary<GeneratedRequest> =>
  fc
    .tuple(requestPath(operation, pool), requestHeaders(operation, pool), requestBody(operation, pool))
    .map(([filled, given, content]) => {
      const { 'content-type': type, ...rest } = given;
      const isBodyless = content === undefined || operation.method === 'GET';
      return {
        method: operation.method,
        path: filled,
        headers: isBodyless ? rest : { ...rest, 'content-type': type! },
        ...(isBodyless ? {} : { body: content }),
      };
    });
