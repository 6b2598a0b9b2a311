import {
  CONSOLE_HEADER,
  insertOperator,
  OPERATOR_COOKIE,
  type OperatorClient,
} from '../support/operator-client.js';
import { fillPath, listDocumentedRoutes, type Route, type RouteInput } from '../support/routes.js';
import { bearerHeader, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let operator: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  operator = await insertOperator(instance);
});
afterAll(async () => instance?.stop());

const IMPORT = 'POST /api/v1/customers/import';

/** Returns the inputs that are timestamps. Imports accept other formats as well, and document them as strings. */
const timesOf = ({ name, inputs }: Route): RouteInput[] =>
  inputs.filter(
    (input) =>
      input.schema['format'] === 'date-time' ||
      (name === IMPORT && /^customers\.0\.(\w+At)$/.test(input.name)),
  );

/** Returns a body with a value at each input's path, such as `filter.created_after`. */
function createBody(inputs: RouteInput[], value: string): object {
  const body: Record<string, any> = {};
  for (const { name } of inputs) {
    const keys = name.split('.');
    const last = keys.pop()!;
    const parent = keys.reduce<Record<string, any>>((at, key, index) => {
      at[key] ??=
        keys[index + 1] === '0' ? [] : keys[index - 1] === 'customers' ? { email: uniqueEmail() } : {};
      return at[key] as Record<string, any>;
    }, body);
    parent[last] = value;
  }
  return body;
}

interface Outcome {
  status: number;
  errors: { field: string; message: string }[];
}

/**
 * Sends a request with the same value in every timestamp input of a route. The objects in its path do not exist. The
 * response is not compared with the document, because that would take longer than the rest of the test.
 */
async function send({ method, path }: Route, times: RouteInput[], value: string): Promise<Outcome> {
  const query = new URLSearchParams(
    times.filter((input) => input.in === 'query').map(({ name }): [string, string] => [name, value]),
  );
  const inBody = times.filter((input) => input.in === 'body');
  const headers = path.startsWith('/operator/v1')
    ? { ...CONSOLE_HEADER, cookie: `${OPERATOR_COOKIE}=${operator.cookie}` }
    : bearerHeader(instance.credentials.secretKey);
  const response = await fetch(`${instance.baseUrl}${fillPath(path, {})}?${query}`, {
    method,
    headers: { ...headers, ...(inBody.length > 0 ? { 'content-type': 'application/json' } : {}) },
    ...(inBody.length > 0 ? { body: JSON.stringify(createBody(inBody, value)) } : {}),
  });
  const text = await response.text();
  const isJson = /\bjson/.test(response.headers.get('content-type') ?? '');
  const { errors = [], results = [] } = isJson ? JSON.parse(text) : {};
  return {
    status: response.status,
    errors: [...errors, ...results.flatMap((result: Outcome) => result.errors)],
  };
}

/** Returns the validation messages about timestamps, by field. */
const timeErrors = ({ errors }: Outcome): Record<string, string> =>
  Object.fromEntries(
    errors
      .filter(({ message }) => /a time between|ISO 8601|a date that exists/.test(message))
      .map(({ field, message }) => [field, message]),
  );

/** One example of each kind. timestamp.spec.ts in libs/domain contains all of them. */
const accepted = [
  '2026-01-02T03:04:05.123456Z',
  '2026-01-02 03:04:05.123456789+05:30',
  '2026-01-02t03:04:05z',
];
/** Times that filters accept, but imports do not, because they are not in the past. */
const distant = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z'];
const nonexistent = ['2025-02-30T12:00:00.123456+01:00'];
const malformed = ['2026-01-02T03:04:05'];

it('every request accepts times with nine fraction digits, and rejects nonexistent dates', async () => {
  const problems: string[] = [];
  let count = 0;
  for (const route of await listDocumentedRoutes(instance)) {
    const times = timesOf(route);
    if (times.length === 0) continue;
    count += times.length;
    const names = times.map(({ name }) => name.replace(/^customers\.0\./, '')).sort();
    const check = async (value: string, message: RegExp | null): Promise<void> => {
      const response = await send(route, times, value);
      const errors = timeErrors(response);
      const found = Object.keys(errors).sort();
      const isExpected = message
        ? found.join() === names.join() && Object.values(errors).every((text) => message.test(text))
        : found.length === 0 && response.status < 500;
      if (!isExpected) problems.push(`${route.name} ${value}: ${response.status} ${JSON.stringify(errors)}`);
    };
    const valid = [...accepted, ...(route.name === IMPORT ? [] : distant)];
    await Promise.all([
      ...valid.map((value) => check(value, null)),
      ...nonexistent.map((value) => check(value, /must contain a date that exists$/)),
      ...malformed.map((value) => check(value, /ISO 8601/)),
    ]);
  }
  expect(problems).toEqual([]);
  expect(count).toBeGreaterThan(60);
});

it('filters compare times at full precision, and stored times are truncated', async () => {
  const { body: created } = await instance.requestWithSecretKey('POST', '/api/v1/customers', {
    email: uniqueEmail(),
  });
  const at = (created.createdAt as string).slice(0, -1);
  const find = async (filter: Record<string, string>): Promise<boolean> => {
    const query = new URLSearchParams({ email: created.email, ...filter });
    const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers?${query}`);
    return body.data.length === 1;
  };
  const found = {
    before: await find({ createdBefore: `${at}Z` }),
    beforeExact: await find({ createdBefore: `${at}000000Z` }),
    beforeLater: await find({ createdBefore: `${at}000001Z` }),
    after: await find({ createdAfter: `${at}Z` }),
    afterLater: await find({ createdAfter: `${at}000001Z` }),
  };
  expect(found).toEqual({
    before: false,
    beforeExact: false,
    beforeLater: true,
    after: false,
    afterLater: false,
  });

  const key = await instance.requestWithSecretKey(
    'POST',
    `/api/v1/projects/${instance.credentials.projectId}/api-keys`,
    { name: 'Service', expiresAt: '2999-01-02T03:04:05.123999999Z' },
  );
  expect(key.body.expiresAt).toBe('2999-01-02T03:04:05.123Z');
});
