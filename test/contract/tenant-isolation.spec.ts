import { randomUUID } from 'node:crypto';
import { waitForFeed } from '../support/wait-for-feed.js';
import { runInChunks } from '../support/run-in-chunks.js';
import { isNightly } from '../support/is-nightly.js';
import { CONSOLE_HEADER, insertOperator, OPERATOR_COOKIE } from '../support/operator-client.js';
import { TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import {
  createProjectFixture,
  resourceKindsByInput,
  type CallerFixture,
  type ProjectFixture,
  type ResourceKind,
} from '../support/project-fixture.js';
import { Receiver } from '../support/receiver.js';
import {
  listDocumentedRoutes,
  fillPath,
  fixedPathValues,
  sampleBody,
  type RouteInput,
  type CredentialKind,
  type Route,
} from '../support/routes.js';
import { dumpTables } from '../support/dump-tables.js';
import { insertOrganization, insertProject, type Tenant } from '../support/tenants.js';

/**
 * Sends another tenant's object in every input that identifies one. The response must equal the response for an object
 * that does not exist, and nothing may be written (contract, section 2; requirements AK-04, AK-05, AK-10).
 * The routes and their inputs come from the OpenAPI document, so a new input is either tested or reported.
 */

/** Query parameters that do not identify an object. */
const plainQueries = new Set(
  `limit success delivery_state status_class http_status event types created_after created_before createdAfter
   createdBefore lastLoginAfter lastLoginBefore environment archived emailVerified disabled hashes emitEvents action
   actorType targetType window kind kinds state range status resolution attempt error locked failed_attempts
   sort compare start include_body dryRun update allowFastHashes`.split(/\s+/),
);

const plainHeaders = new Set([
  'if-match',
  'if-none-match',
  'idempotency-key',
  'x-client-ip',
  'origin',
  'x-request-id',
  'user-agent',
]);

/** Inputs that are never looked up: see "the values of another tenant" below. */
const unused = new Set(
  ['POST /api/v1/customers/import', 'POST /operator/v1/customers/import'].flatMap((route) =>
    ['body customers.0.id', 'body customers.0.projectId', 'query importId', 'query projectId'].map(
      (input) => `${route} ${input}`,
    ),
  ),
);

/** The audit log action for an operator's read request. */
const READ_ACTION = 'operator.customers_exported';

/** Routes whose lists contain every object of the organization for each of its secret keys (contract, section 3). */
const wholeOrganization = new Set(['GET /api/v1/organizations', 'GET /api/v1/projects']);

/** Installation-wide routes, which limited operators cannot use. */
const installationRoutes = new Set(
  `GET /operator/v1/health
   GET /operator/v1/health/alerts
   POST /operator/v1/health/test-alert
   POST /operator/v1/health/test-mail
   POST /operator/v1/organizations
   GET /operator/v1/operators
   POST /operator/v1/operators
   GET /operator/v1/operators/count
   GET /operator/v1/operators/{operatorId}
   PATCH /operator/v1/operators/{operatorId}
   POST /operator/v1/operators/{operatorId}/disable
   POST /operator/v1/operators/{operatorId}/enable
   POST /operator/v1/operators/{operatorId}/reset-second-factor
   POST /operator/v1/operators/{operatorId}/invite-again
   GET /operator/v1/operators/{operatorId}/sessions
   DELETE /operator/v1/operators/{operatorId}/sessions`.split(/\n\s*/),
);

/** Console routes that concern only the calling operator. */
const isOwnRoute = ({ path }: Route): boolean => /^\/operator\/v1\/(session|setup|invitations)\b/.test(path);

const isOperatorRoute = ({ path }: Route): boolean => path.startsWith('/operator/');

/** Query parameters without which a route returns nothing. */
const requiredQueries: Record<string, (holder: CallerFixture) => Values> = {
  'GET /operator/v1/search': (holder) => ({ q: firstOf(holder, 'project')! }),
};

/** The attacker is a caller that requests the victim's objects. */
interface Pair {
  name: string;
  attacker: CallerFixture;
  victim: CallerFixture;
  /** Both projects belong to the same organization. */
  isSameOrganization?: boolean;
  /** The victim is the parent organization. The attacker reads its id as `parentId`. */
  isParent?: boolean;
}

type Values = Record<string, string>;
interface RequestInput {
  path?: Values;
  query?: Values;
  body?: Values;
}

let instance: TestInstance;
let receiver: Receiver;
let documented: Route[];
/** The routes that return or change tenant objects. */
let routes: Route[];
let pairs: Pair[];
let ownProject: ProjectFixture;
let sibling: ProjectFixture;
let foreign: ProjectFixture;
/** An operator limited to `ownProject`'s organization. */
let limited: CallerFixture;

beforeAll(async () => {
  receiver = await Receiver.start();
  instance = await TestInstance.startShared();
  documented = await listDocumentedRoutes(instance);
  routes = documented.filter((route) => !isOwnRoute(route) && !installationRoutes.has(route.name));

  const child = async ({ organizationId }: Tenant): Promise<Tenant> => {
    const tenant = await insertOrganization(instance);
    await instance.sql('UPDATE organizations SET parent_id = $1 WHERE id = $2', [
      organizationId,
      tenant.organizationId,
    ]);
    return tenant;
  };
  const [a1, b1] = [await insertOrganization(instance), await insertOrganization(instance)];
  const c1 = await child(a1);
  const tenants = [a1, await insertProject(instance, a1.organizationId), b1, c1, await child(c1)];
  const fixtures = await Promise.all(
    tenants.map((tenant) => createProjectFixture(instance, tenant, receiver)),
  );
  const [a, a2, b, c, d] = fixtures as [
    ProjectFixture,
    ProjectFixture,
    ProjectFixture,
    ProjectFixture,
    ProjectFixture,
  ];
  [ownProject, sibling, foreign] = [a, a2, b];
  const limitedTo = async (holder: ProjectFixture, ...others: ProjectFixture[]): Promise<CallerFixture> => {
    const organizations = [holder, ...others].map(({ tenant }) => tenant.organizationId);
    const operator = await insertOperator(instance, 'admin', organizations);
    return { credentials: { operator: operator.cookie! }, resources: holder.resources };
  };
  limited = await limitedTo(a);

  pairs = [
    {
      name: 'a project key that requests another project of its organization',
      attacker: a,
      victim: withOrganization(a2, b),
      isSameOrganization: true,
    },
    {
      name: 'a project key that requests objects for organization keys only',
      attacker: a,
      victim: a.organizationOnly,
      isSameOrganization: true,
    },
    {
      name: 'an organization key that requests its parent organization',
      attacker: c.organization,
      victim: a.organization,
      isParent: true,
    },
    {
      name: 'an organization key that requests an organization two levels below',
      attacker: a.organization,
      victim: d.organization,
    },
    {
      name: 'an operator limited to two organizations who requests a third one',
      attacker: await limitedTo(b, d),
      victim: limited,
    },
    { name: 'a customer who requests another customer', attacker: a.customers[0], victim: a.customers[1] },
  ];
  // A filter that admitted unrelated tenants would also admit the related tenants above.
  if (isNightly)
    pairs.push(
      { name: 'a project key that requests another organization', attacker: a, victim: b },
      {
        name: 'an organization key that requests another organization',
        attacker: a.organization,
        victim: b.organization,
      },
    );

  // From here on, only requests write to the database.
  await Promise.all(instance.workers.map((worker) => worker.stop()));
  // The feed hides events while an older transaction is open, even one of another test on the same server.
  await waitForFeed(instance);
  await instance.sql(`UPDATE api_keys SET last_used_at = now() + interval '1 hour'`);
  await instance.sql(`UPDATE operator_sessions SET last_seen_at = now() + interval '1 hour'`);
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

/** Returns a copy of a victim with another caller's organization. */
const withOrganization = (
  { credentials, resources }: CallerFixture,
  other: CallerFixture,
): CallerFixture => ({
  credentials,
  resources: { ...resources, organization: other.resources.organization! },
});

const withoutOrganization = ({
  credentials,
  resources: { organization: _, ...resources },
}: CallerFixture): CallerFixture => ({
  credentials,
  resources,
});

/** Returns an id that does not exist, of the same length as an existing one. */
function nonexistentValue(kind: ResourceKind): string {
  const id = `0199ffff-ffff-7fff-8fff-${randomUUID().slice(-12)}`;
  const prefixes: Partial<Record<ResourceKind, string>> = {
    endpoint: 'ep_',
    delivery: 'dlv_',
    attempt: 'att_',
    event: 'evt_',
    redelivery: 'rdl_',
  };
  if (kind === 'email') return `${randomUUID()}@example.com`;
  return (prefixes[kind] ?? '') + id;
}

/** Body inputs that are not Gatehouse ids: the passkey domain, and ids chosen by authenticators or providers. */
const plainBodies = new Set([
  ...['clientId', 'clientIds', 'teamId', 'keyId'],
  ...['settings.passkeys.rpId', 'response.id', 'response.rawId'],
  ...['rpId', 'credentialId', 'aaguid'].map((name) => `customers.0.passkeys.0.${name}`),
]);

const lastPart = (name: string): string => name.split('.').at(-1)!;

/** Returns the kinds of objects that an input identifies, or undefined if it identifies none. */
function kindsOf({ in: place, name }: RouteInput): ResourceKind[] | undefined {
  if (place === 'header') return undefined;
  // The caller chooses these values, and a body only stores them.
  if (place === 'body' && ['email', 'externalId', 'q', 'keyId'].includes(lastPart(name))) return undefined;
  return resourceKindsByInput[lastPart(name)];
}

const isUnused = (route: Route, { in: place, name }: RouteInput): boolean =>
  unused.has(`${route.name} ${place} ${name}`);

/** Returns true if no rule above classifies the input. */
function isUnknown(route: Route, input: RouteInput): boolean {
  if (kindsOf(input) || isUnused(route, input)) return false;
  const name = lastPart(input.name);
  if (input.in === 'path') return !(name in fixedPathValues);
  if (input.in === 'header') return !plainHeaders.has(name.toLowerCase());
  if (input.in === 'query') return name !== 'cursor' && !plainQueries.has(name);
  if (plainBodies.has(input.name)) return false;
  return name !== 'externalId' && (input.schema['format'] === 'uuid' || /^ids?$|I[Dd]s?$|_ids?$/.test(name));
}

const pathInputs = (route: Route): RouteInput[] =>
  route.inputs.filter((input) => input.in === 'path' && !(input.name in fixedPathValues));
/** Returns the headers with which a holder can call a route, or undefined if none of its credentials fits. */
function headersFor(route: Route, { credentials }: CallerFixture): Values | undefined {
  const kind = (['operator', 'secret', 'access', 'publishable'] as CredentialKind[]).find(
    (each) => route.kinds.includes(each) && credentials[each],
  );
  if (!kind) return undefined;
  if (kind === 'operator') return { ...CONSOLE_HEADER, cookie: `${OPERATOR_COOKIE}=${credentials[kind]}` };
  return kind === 'publishable'
    ? { 'x-publishable-key': credentials[kind]! }
    : { authorization: `Bearer ${credentials[kind]}` };
}

const firstOf = ({ resources }: CallerFixture, kind: ResourceKind): string | undefined =>
  resources[kind]?.[0];

/** Returns the path parameters, filled with the holder's objects. */
const pathOf = (route: Route, holder: CallerFixture): Values =>
  Object.fromEntries(
    pathInputs(route).flatMap((input) => {
      const kind = kindsOf(input)?.[0];
      const id = kind && firstOf(holder, kind);
      return id ? [[input.name, id]] : [];
    }),
  );

function setField(target: any, name: string, value: string | string[]): void {
  const parts = name.split('.');
  const last = parts.pop()!;
  const holder = parts.reduce((at, part) => (at[part] ??= {}), target);
  holder[last] = value;
}

/** Returns the body fields that name a new object's owner. With a key, the key itself determines the owner. */
const ownerOf = (route: Route, holder: CallerFixture): Values =>
  Object.fromEntries(
    ['organizationId', 'projectId', 'project_id']
      .filter((name) => route.inputs.some((input) => input.in === 'body' && input.name === name))
      .map((name) => [name, firstOf(holder, resourceKindsByInput[name]![0]!)!]),
  );

/** Sends a request as a holder, with the holder's own objects unless `sent` overrides them. */
function send(
  route: Route,
  holder: CallerFixture,
  sent: RequestInput,
  headers = headersFor(route, holder),
): Promise<TestResponse> {
  const query = new URLSearchParams({ ...requiredQueries[route.name]?.(holder), ...sent.query });
  const body = sampleBody(route);
  if (body && isOperatorRoute(route)) Object.assign(body, ownerOf(route, holder));
  for (const [name, value] of Object.entries(sent.body ?? {})) {
    const isList = route.inputs.some((input) => input.name === name && input.schema['type'] === 'array');
    setField(body, name, isList ? [value] : value);
  }
  const path = fillPath(route.path, { ...pathOf(route, holder), ...sent.path });
  return instance.request(route.method, query.size > 0 ? `${path}?${query}` : path, {
    body,
    headers: headers!,
  });
}

/** Fields that can differ between two equal requests. `to` is the end of the metrics' time range. */
const varying = new Set(['requestId', 'nextCursor', 'next_cursor', 'to']);

/** Serializes a response, with a placeholder for every value that was sent. */
function comparableText({ status, headers, body }: TestResponse, sent: RequestInput): string {
  const stableHeaders = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  let text = JSON.stringify({ status, headers: stableHeaders, body }, (key, value: unknown) =>
    varying.has(key) && value !== null ? '…' : value,
  );
  for (const values of [sent.path, sent.query, sent.body]) {
    for (const value of Object.values(values ?? {})) text = text.replaceAll(value, '…');
  }
  return text;
}

/** Requests for another tenant's object and for a missing object, through the same input. */
interface Trial {
  /** Kind of the object, or the kinds by path parameter as JSON. */
  kind: string;
  foreign: RequestInput;
  missing: RequestInput;
}

/**
 * Returns a trial for every combination of path parameters that identify the victim's objects. The other parameters
 * identify the attacker's. Combinations whose last parameter belongs to the attacker are tested only nightly.
 */
function pathTrials(route: Route, { victim }: Pair): Trial[] {
  const inputs = pathInputs(route);
  const choices = Array.from({ length: 2 ** inputs.length - 1 }, (_, index) =>
    inputs.filter((_input, position) => (index + 1) & (1 << position)),
  );
  return choices
    .filter((chosen) => isNightly || chosen.includes(inputs.at(-1)!))
    .flatMap((chosen) => {
      const variants = Math.max(...chosen.map((input) => kindsOf(input)!.length));
      return Array.from({ length: variants }, (_, variant) => {
        const [kinds, foreign, missing]: [Values, Values, Values] = [{}, {}, {}];
        for (const input of chosen) {
          const resources = kindsOf(input)!;
          const kind = resources[variant % resources.length]!;
          const id = firstOf(victim, kind);
          if (!id) return null;
          [kinds[input.name], foreign[input.name], missing[input.name]] = [kind, id, nonexistentValue(kind)];
        }
        return { kind: JSON.stringify(kinds), foreign: { path: foreign }, missing: { path: missing } };
      }).filter((trial) => trial !== null);
    });
}

/**
 * Returns a trial for every kind of object that an input identifies. Outside the nightly run, inputs other than the
 * search term are limited to three kinds, because they look up all kinds in the same way.
 */
function fieldTrials({ victim }: Pair, input: RouteInput): Trial[] {
  const kinds = kindsOf(input)!;
  return (isNightly || input.name === 'q' ? kinds : kinds.slice(0, 3)).flatMap((kind) => {
    const id = firstOf(victim, kind);
    const sent = (value: string): RequestInput => ({ [input.in]: { [input.name]: value } });
    return id ? [{ kind, foreign: sent(id), missing: sent(nonexistentValue(kind)) }] : [];
  });
}

/** Runs every attacker's trials. @returns the differences, and the statuses for missing objects */
async function runTrials(
  route: Route,
  trialsOf: (pair: Pair) => Trial[] | Promise<Trial[]>,
): Promise<{ differences: string[]; statuses: Set<number> }> {
  const statuses = new Set<number>();
  const differences: string[] = [];
  /** Responses for missing objects by attacker and kind. They do not depend on the victim. */
  const missingTexts = new Map<CallerFixture, Map<string, string>>();
  for (const pair of pairs.filter(({ attacker }) => headersFor(route, attacker))) {
    const texts = missingTexts.get(pair.attacker) ?? new Map<string, string>();
    missingTexts.set(pair.attacker, texts);
    for (const { kind, foreign, missing } of await trialsOf(pair)) {
      const foreignText = comparableText(await send(route, pair.attacker, foreign), foreign);
      let missingText = texts.get(kind);
      if (missingText === undefined) {
        const response = await send(route, pair.attacker, missing);
        statuses.add(response.status);
        missingText = comparableText(response, missing);
        texts.set(kind, missingText);
      }
      if (foreignText !== missingText) {
        differences.push(
          `${route.name} as ${pair.name} ${JSON.stringify(foreign)}\n${foreignText}\n${missingText}`,
        );
      }
    }
  }
  return { differences, statuses };
}

/** Runs a check. @returns its findings, and the rows that it has written or removed */
async function findWrites(check: () => Promise<string[]>, isIncluded?: (table: string) => boolean) {
  const dump = async (): Promise<string[]> =>
    (await dumpTables(instance, isIncluded)).split('\n').filter((line) => !line.includes(READ_ACTION));
  const before = await dump();
  const found = await check();
  const after = await dump();
  const [previous, current] = [new Set(before), new Set(after)];
  return [
    ...found,
    ...after.filter((line) => !previous.has(line)).map((line) => `written: ${line}`),
    ...before.filter((line) => !current.has(line)).map((line) => `removed: ${line}`),
  ];
}

/** Checks several items concurrently. @returns the findings, and the rows that the checks have written or removed */
const checkAll = <Checked>(
  chosen: Checked[],
  check: (checked: Checked) => Promise<string[]>,
): Promise<string[]> => findWrites(() => runInChunks(chosen, check));

/** Returns the inputs in one part of a request that identify objects. */
const fieldsIn = (place: RouteInput['in']): { route: Route; input: RouteInput }[] =>
  routes.flatMap((route) =>
    route.inputs
      .filter((input) => input.in === place && kindsOf(input))
      .filter((input) => !isUnused(route, input))
      .map((input) => ({ route, input })),
  );

describe("another tenant's object", () => {
  it('has a test for every documented input', () => {
    const unknown = routes.flatMap((route) =>
      route.inputs
        .filter((input) => isUnknown(route, input))
        .map((input) => `${route.name}: ${input.name} in the ${input.in}`),
    );
    expect(unknown).toEqual([]);
    const open = routes.filter(
      ({ kinds, inputs }) => kinds.length === 0 && inputs.some((input) => kindsOf(input)),
    );
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it('stays hidden in a path', async () => {
    const chosen = routes.filter((route) => pathInputs(route).length > 0);
    expect(chosen.length).toBeGreaterThan(20);
    const findings = await checkAll(chosen, async (route) => {
      const { differences, statuses } = await runTrials(route, (pair) =>
        // Outside the nightly run, paths are tested with the parent only if they contain an organization id. Lists and
        // queries are always tested with the parent, and the same filter excludes its organizations there.
        pair.isParent && !isNightly && !route.path.includes('{organizationId}')
          ? []
          : pathTrials(route, pair),
      );
      // Without a 404, the request was rejected for a reason unrelated to the id.
      return statuses.has(404)
        ? differences
        : [...differences, `${route.name} was never looked up: ${[...statuses].join()}`];
    });
    expect(findings).toEqual([]);
  });

  it('stays hidden in a path, although its own tenant can read it', async () => {
    const unreadable: string[] = [];
    for (const route of routes.filter(
      ({ method, inputs }) => method === 'GET' && inputs.some((input) => input.in === 'path'),
    )) {
      const holders = [sibling.organization, limited];
      for (const holder of holders.filter((each) => headersFor(route, each))) {
        if ((await send(route, holder, {})).status !== 200) unreadable.push(route.name);
      }
    }
    expect(unreadable).toEqual([]);
  });

  it('stays hidden in lists', async () => {
    const findings: string[] = [];
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const query: Values = route.inputs.some(({ name }) => name === 'limit') ? { limit: '200' } : {};
      const responses = new Map<CallerFixture, TestResponse>();
      for (const { name, attacker, victim, isSameOrganization, isParent } of pairs) {
        if (!headersFor(route, attacker) || (isSameOrganization && wholeOrganization.has(route.name)))
          continue;
        const response = responses.get(attacker) ?? (await send(route, attacker, { query }));
        responses.set(attacker, response);
        const { status, body } = response;
        // Some routes accept only organization keys.
        const isExpected = status === 200 || (status === 403 && !isOperatorRoute(route));
        expect([route.name, name, status, isExpected]).toEqual([route.name, name, status, true]);
        const shown = JSON.stringify(body);
        const leaked = Object.values(isParent ? withoutOrganization(victim).resources : victim.resources)
          .flat()
          .filter((id) => shown.includes(id));
        if (leaked.length > 0) findings.push(`${route.name} as ${name}: ${leaked.join(', ')}`);
      }
    }
    expect(findings).toEqual([]);
  });

  it('stays hidden in a query parameter', async () => {
    const chosen = fieldsIn('query');
    expect(chosen.length).toBeGreaterThan(5);
    const findings = await checkAll(chosen, async ({ route, input }) => {
      /** Maps each kind to true if its value finds something for its own tenant. */
      const findsOwn = new Map<string, boolean>();
      const { differences } = await runTrials(route, async (pair) => {
        const trials = fieldTrials(pair, input);
        if (headersFor(route, pair.victim))
          for (const { kind, foreign } of trials.filter((trial) => !findsOwn.get(trial.kind)))
            findsOwn.set(kind, countObjects(await send(route, pair.victim, foreign)) > 0);
        // A search term without results for the victim identifies no object in this list.
        return input.name === 'q' ? trials.filter(({ kind }) => findsOwn.get(kind)) : trials;
      });
      return [...findsOwn.values()].includes(true)
        ? differences
        : [...differences, `${route.name}: ${input.name} finds nothing for its own tenant either`];
    });
    expect(findings).toEqual([]);
  });

  it('stays hidden in a body', async () => {
    const chosen = fieldsIn('body');
    expect(chosen.length).toBeGreaterThan(3);
    const findings = await checkAll(chosen, async ({ route, input }) => {
      const { differences, statuses } = await runTrials(route, (pair) => fieldTrials(pair, input));
      return statuses.has(404)
        ? differences
        : [...differences, `${route.name}: ${input.name} was never looked up: ${[...statuses].join()}`];
    });
    expect(findings).toEqual([]);
  });

  it('stays hidden in a cursor', async () => {
    const chosen = routes.filter(({ inputs }) => inputs.some(({ name }) => name === 'cursor'));
    expect(chosen.length).toBeGreaterThan(5);
    const findings = await checkAll(chosen, async (route) => {
      let trials = 0;
      const differences: string[] = [];
      for (const pair of pairs.filter(
        ({ attacker, victim }) => headersFor(route, attacker) && headersFor(route, victim),
      )) {
        if (pair.isSameOrganization && wholeOrganization.has(route.name)) continue;
        // A cursor contains its filters, whichever tenant it belongs to.
        const filters = route.inputs
          .filter((input) => input.in === 'query' && kindsOf(input) && (isNightly || trials === 0))
          .map((input) => fieldTrials(pair, input).map(({ foreign }) => foreign.query!));
        for (const queries of [[{}], ...filters]) {
          const found = await findCursor(route, pair.victim, queries);
          if (!found) continue;
          const { cursor, filter } = found;
          trials += 1;
          const query = (value: string): RequestInput => ({
            query: { ...filter, limit: '1', cursor: value },
          });
          const [foreign, missing] = [query(cursor), query(changed(cursor))];
          const responses = [
            await send(route, pair.attacker, foreign),
            await send(route, pair.attacker, missing),
          ] as const;
          const [foreignText, missingText] = [
            comparableText(responses[0], foreign),
            comparableText(responses[1], missing),
          ];
          if (foreignText !== missingText || responses[0].body.code !== 'invalid_cursor') {
            differences.push(
              `${route.name} as ${pair.name} ${JSON.stringify(filter)}\n${foreignText}\n${missingText}`,
            );
          }
        }
      }
      return trials > 0 ? differences : [`${route.name} returned no cursor`];
    });
    expect(findings).toEqual([]);
  });
});

/** Returns the number of objects that a response contains or counts. */
function countObjects({ headers, body }: TestResponse): number {
  if (headers.get('content-type')?.startsWith('text/csv')) return body.trim().split('\n').length - 1;
  return body.data?.length ?? body.count ?? body.totals?.attempts ?? body.totals?.signUps ?? 0;
}

/** Returns the first filter with more than one page and its cursor, or null if there is none. */
async function findCursor(
  route: Route,
  holder: CallerFixture,
  filters: Values[],
): Promise<{ cursor: string; filter: Values } | null> {
  for (const filter of filters) {
    const cursor = cursorIn((await send(route, holder, { query: { ...filter, limit: '1' } })).body);
    if (cursor) return { cursor, filter };
  }
  return null;
}

function cursorIn(body: unknown): string | null {
  let cursor: string | null = null;
  JSON.stringify(body, (key, value: unknown) => {
    if (/^next_?cursor$/i.test(key) && typeof value === 'string') cursor = value;
    return value;
  });
  return cursor;
}

/** Returns headers in which the holder's own credential is combined with a credential of another project. */
function combineCredentials(ownHeaders: Values, theirs: CallerFixture['credentials']): Values[] {
  if (!ownHeaders['authorization']) {
    return [theirs.secret, theirs.access].map((value) => ({
      ...ownHeaders,
      authorization: `Bearer ${value}`,
    }));
  }
  const value = ownHeaders['authorization'].replace('Bearer ', '');
  return [
    { ...ownHeaders, 'x-publishable-key': theirs.publishable! },
    ...(value.startsWith('sk_') ? [{ 'x-api-key': value, authorization: `Bearer ${theirs.access}` }] : []),
  ];
}

const changed = (cursor: string): string => (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1);

describe('an operator limited to organizations', () => {
  const expectRejection = async (route: Route): Promise<string[]> => {
    const { status, body } = await send(route, limited, {});
    return status === 403 && body.code === 'installation_access_required' ? [] : [`${route.name}: ${status}`];
  };

  it('gets 403 on installation-wide routes', async () => {
    const chosen = documented.filter(({ name }) => installationRoutes.has(name));
    expect(chosen).toHaveLength(installationRoutes.size);
    expect(await checkAll(chosen, expectRejection)).toEqual([]);
  });

  it('has a test for every console route that is not installation-wide', () => {
    const isTested = (route: Route): boolean =>
      route.method === 'GET' ||
      pathInputs(route).length > 0 ||
      fieldsIn('body').some((field) => field.route === route);
    const untested = routes.filter((route) => isOperatorRoute(route) && !isTested(route));
    expect(untested.map(({ name }) => name)).toEqual([]);
  });

  it('gets counts that match the lists', async () => {
    const counts = routes.filter(({ path }) => isOperatorRoute({ path } as Route) && path.endsWith('/count'));
    expect(counts.length).toBeGreaterThan(8);
    const differences: string[] = [];
    for (const count of counts) {
      const list = routes.find(({ name }) => name === count.name.replace('/count', ''))!;
      const counted = countObjects(await send(count, limited, {}));
      const listed = countObjects(await send(list, limited, { query: { limit: '200' } }));
      if (counted !== listed || counted === 0) differences.push(`${count.name}: ${counted}, list: ${listed}`);
    }
    expect(differences).toEqual([]);
  });

  it('gets the metrics of projects in its access scope', async () => {
    const attempts = routes.find(({ name }) => name === 'GET /operator/v1/webhooks/deliveries/count')!;
    const overview = routes.find(({ name }) => name === 'GET /operator/v1/overview')!;
    const deadLetters = routes.find(({ name }) => name === 'GET /operator/v1/webhooks/dead-letters/count')!;
    const { body } = await send(overview, limited, { query: { range: '24h' } });
    expect(body.totals.attempts).toBe(countObjects(await send(attempts, limited, {})));
    expect(body.deadLetters.waiting).toBe(countObjects(await send(deadLetters, limited, {})));
  });
});

describe('credentials of two projects', () => {
  it('cause an error on every route if both are sent', async () => {
    const findings = await checkAll(
      routes.filter((route) => route.kinds.length > 0 && !isOperatorRoute(route)),
      async (route) => {
        const ownHeaders = headersFor(route, ownProject)!;
        const accepted: string[] = [];
        for (const { credentials } of isNightly ? [sibling, foreign] : [sibling]) {
          for (const headers of combineCredentials(ownHeaders, credentials)) {
            const response = await send(route, ownProject, {}, headers);
            if (response.body.code !== 'multiple_credentials')
              accepted.push(`${route.name} ${comparableText(response, {})}`);
          }
        }
        return accepted;
      },
    );
    expect(findings).toEqual([]);
  });

  it("let a publishable key access only its project's customers, even with a correct password", async () => {
    const [theirs] = sibling.customers[0].resources.email!;
    const authenticate = (action: string, email: string) =>
      instance.request('POST', `/api/v1/auth/${action}`, {
        body: action === 'login' ? { email, password: PASSWORD } : { email },
        headers: { 'x-publishable-key': ownProject.tenant.publishableKey },
      });
    const differences = await findWrites(
      async () => {
        const found: string[] = [];
        for (const action of ['login', 'forgot-password', 'resend-verification']) {
          const missing = nonexistentValue('email');
          const responses = [
            await authenticate(action, theirs!),
            await authenticate(action, missing),
          ] as const;
          expect(responses[1].status).toBe(action === 'login' ? 401 : 202);
          const texts = responses.map((response) => comparableText(response, {}));
          if (texts[0] !== texts[1]) found.push(...texts);
        }
        return found;
      },
      (table) => table !== 'login_attempts',
    );
    expect(differences).toEqual([]);
  });

  it('let an access token access only its own customer', async () => {
    for (const { customers } of [ownProject, sibling, foreign]) {
      const { credentials, resources } = customers[0];
      const me = await instance.requestWithAccessToken(credentials.access!, 'GET', '/api/v1/me');
      expect(me.body.id).toBe(resources.customer![0]);
      const sessions = await instance.requestWithAccessToken(
        credentials.access!,
        'GET',
        '/api/v1/me/sessions',
      );
      expect(new Set((sessions.body.data as { id: string }[]).map(({ id }) => id))).toEqual(
        new Set(resources.session),
      );
    }
  });
});

describe('the values of another tenant', () => {
  const post = (path: string, body: unknown, type?: string) =>
    instance.request('POST', path, {
      body,
      headers: {
        authorization: `Bearer ${ownProject.tenant.secretKey}`,
        ...(type ? { 'content-type': type } : {}),
      },
    });

  it('do not prevent a tenant from using the same email address and externalId', async () => {
    const customer = { email: sibling.resources.email![1]!, externalId: sibling.resources.externalId![0]! };
    expect(await post('/api/v1/customers', customer)).toMatchObject({
      status: 201,
      body: { ...customer, projectId: ownProject.tenant.projectId },
    });
  });

  it('remain unchanged after an import, whatever project its lines specify', async () => {
    const theirs = { id: sibling.resources.customer![0], projectId: sibling.tenant.projectId };
    const before = await instance.sql('SELECT * FROM customers WHERE project_id = $1 ORDER BY id', [
      theirs.projectId,
    ]);
    const email = nonexistentValue('email');
    const { status, body } = await post('/api/v1/customers/import', { customers: [{ ...theirs, email }] });
    expect({ status, result: body.results }).toMatchObject({ status: 200, result: [{ status: 'created' }] });
    const [created] = await instance.sql('SELECT id, project_id FROM customers WHERE email = $1', [email]);
    expect(created).toEqual({ id: body.results[0].id, project_id: ownProject.tenant.projectId });
    expect(created!['id']).not.toBe(theirs.id);
    const after = await instance.sql('SELECT * FROM customers WHERE project_id = $1 ORDER BY id', [
      theirs.projectId,
    ]);
    expect(after).toEqual(before);
  });

  it('do not prevent a tenant from using the same import id', async () => {
    const [importId] = sibling.resources.import!;
    const show = (key: string) =>
      instance.request('GET', `/api/v1/imports/${importId}`, { headers: { authorization: `Bearer ${key}` } });
    const before = await show(sibling.tenant.secretKey);
    const line = JSON.stringify({ email: nonexistentValue('email') });
    const created = await post(
      `/api/v1/customers/import?importId=${importId}`,
      `${line}\n`,
      'application/x-ndjson',
    );
    expect(created).toMatchObject({
      status: 200,
      body: { projectId: ownProject.tenant.projectId, created: 1 },
    });
    expect((await show(sibling.tenant.secretKey)).body).toEqual(before.body);
    expect((await show(ownProject.tenant.secretKey)).body).toEqual(created.body);
  });

  it.each<[string, string, () => { attacker: CallerFixture; victim: ProjectFixture }]>([
    ['a secret key', '/api/v1/customers/import', () => ({ attacker: ownProject, victim: sibling })],
    ['a limited operator', '/operator/v1/customers/import', () => ({ attacker: limited, victim: foreign })],
  ])('remain unchanged after a rejected NDJSON import by %s', async (_, path, find) => {
    const { attacker, victim } = find();
    const route = documented.find(({ name }) => name === `POST ${path}`)!;
    const headers = { ...headersFor(route, attacker), 'content-type': 'application/x-ndjson' };
    const body = `${JSON.stringify({ email: nonexistentValue('email') })}\n`;
    const findings = await findWrites(async () => {
      const texts = await Promise.all(
        [victim.tenant.projectId, nonexistentValue('project')].map(async (projectId) => {
          const url = `${path}?projectId=${projectId}`;
          const response = await instance.request('POST', url, { headers, body });
          expect(response.status).toBe(404);
          return comparableText(response, { query: { projectId } });
        }),
      );
      return texts[0] === texts[1] ? [] : texts;
    });
    expect(findings).toEqual([]);
  });
});
