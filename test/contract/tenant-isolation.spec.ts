import { randomUUID } from 'node:crypto';
import { waitForFeed } from '../support/wait-for-feed.js';
import { runInChunks } from '../support/run-in-chunks.js';
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
  sampleBody,
  type RouteInput,
  type CredentialKind,
  type Route,
} from '../support/routes.js';
import { dumpTables } from '../support/dump-tables.js';
import { insertOrganization, insertProject, type Tenant } from '../support/tenants.js';

/**
 * Whatever a route is told that names an object, tried with an object of somebody else: the answer must be that for
 * an object that does not exist, and nothing may be written (contract, section 2; requirements AK-04, AK-05, AK-10).
 * The routes and what they take come from the OpenAPI document, so that a new one is tried as well, or stands out.
 */

/** Query parameters that name no object. */
const plainQueries = new Set(
  `limit success delivery_state status_class http_status event types created_after created_before createdAfter
   createdBefore lastLoginAfter lastLoginBefore environment archived emailVerified disabled hashes emitEvents action
   actorType targetType window`.split(/\s+/),
);

const plainHeaders = new Set(['idempotency-key', 'x-client-ip', 'origin', 'x-request-id', 'user-agent']);

/** Not looked up there: see what is free for another tenant, below. */
const unused = new Set([
  'POST /api/v1/customers/import body customers.0.id',
  'POST /api/v1/customers/import body customers.0.projectId',
  'POST /api/v1/customers/import query importId',
  'POST /api/v1/customers/import query projectId',
]);

/** Every secret key of an organization sees the whole of these (contract, section 3). */
const wholeOrganization = new Set(['GET /api/v1/organizations', 'GET /api/v1/projects']);

/** Somebody, and somebody else whose things they try. */
interface Pair {
  name: string;
  attacker: CallerFixture;
  victim: CallerFixture;
  isSameOrganization?: boolean;
  /** An organization names the one above it, as its parentId. */
  isAbove?: boolean;
}

type Values = Record<string, string>;
interface Sent {
  path?: Values;
  query?: Values;
  body?: Values;
}

let instance: TestInstance;
let receiver: Receiver;
let routes: Route[];
let pairs: Pair[];
let own: ProjectFixture;
let sibling: ProjectFixture;
let strange: ProjectFixture;

beforeAll(async () => {
  receiver = await Receiver.start();
  instance = await TestInstance.startShared();
  // Operators reach the whole instance.
  routes = (await listDocumentedRoutes(instance)).filter(({ path }) => !path.startsWith('/operator/'));

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
  const tenants = [
    a1,
    await insertProject(instance, a1.organizationId),
    b1,
    await insertProject(instance, b1.organizationId),
    c1,
    await child(c1),
  ];
  const populations = await Promise.all(
    tenants.map((tenant) => createProjectFixture(instance, tenant, receiver)),
  );
  const [a, a2, b, b2, c, d] = populations as [
    ProjectFixture,
    ProjectFixture,
    ProjectFixture,
    ProjectFixture,
    ProjectFixture,
    ProjectFixture,
  ];
  [own, sibling, strange] = [a, a2, b];

  pairs = [
    {
      name: 'a project key, of another project of its organization',
      attacker: a,
      victim: withoutOrganization(a2),
      isSameOrganization: true,
    },
    {
      name: 'a project key, of what only organization keys see',
      attacker: a,
      victim: a.organizationOnly,
      isSameOrganization: true,
    },
    { name: 'a project key, of another organization', attacker: a, victim: b2 },
    {
      name: 'an organization key, of another organization',
      attacker: a.organization,
      victim: b.organization,
    },
    {
      name: 'an organization key, of the one above',
      attacker: c.organization,
      victim: a.organization,
      isAbove: true,
    },
    { name: 'an organization key, of the one two below', attacker: a.organization, victim: d.organization },
    { name: 'a customer, of another one', attacker: a.customers[0], victim: a.customers[1] },
  ];

  // Nothing is written from now on but by what asks.
  await Promise.all(instance.workers.map((worker) => worker.stop()));
  // The feed hides events behind an older transaction, including one of another test on the same server.
  await waitForFeed(instance);
  await instance.sql(`UPDATE api_keys SET last_used_at = now() + interval '1 hour'`);
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

const withoutOrganization = ({
  credentials,
  resources: { organization: _, ...things },
}: CallerFixture): CallerFixture => ({
  credentials,
  resources: things,
});

/** Something of a kind that nobody has, as long as one that somebody has. */
function missing(thing: ResourceKind): string {
  const id = `0199ffff-ffff-7fff-8fff-${randomUUID().slice(-12)}`;
  const prefixes: Partial<Record<ResourceKind, string>> = {
    endpoint: 'ep_',
    delivery: 'dlv_',
    attempt: 'att_',
    event: 'evt_',
    redelivery: 'rdl_',
  };
  if (thing === 'email') return `${randomUUID()}@example.com`;
  return (prefixes[thing] ?? '') + id;
}

const lastPart = (name: string): string => name.split('.').at(-1)!;

/** What the value of an input names; undefined: nothing. */
function thingsOf({ in: place, name }: RouteInput): ResourceKind[] | undefined {
  if (place === 'header') return undefined;
  // The caller's own words for something: in a body they are to be kept.
  if (place === 'body' && ['email', 'externalId', 'q'].includes(lastPart(name))) return undefined;
  return resourceKindsByInput[lastPart(name)];
}

const isUnused = (route: Route, { in: place, name }: RouteInput): boolean =>
  unused.has(`${route.name} ${place} ${name}`);

/** Whether nobody has said above what an input of a route is. */
function isUnknown(route: Route, input: RouteInput): boolean {
  if (thingsOf(input) || isUnused(route, input)) return false;
  const name = lastPart(input.name);
  if (input.in === 'path') return true;
  if (input.in === 'header') return !plainHeaders.has(name.toLowerCase());
  if (input.in === 'query') return name !== 'cursor' && !plainQueries.has(name);
  return name !== 'externalId' && (input.schema['format'] === 'uuid' || /^ids?$|I[Dd]s?$|_ids?$/.test(name));
}

const pathInputs = (route: Route): RouteInput[] => route.inputs.filter((input) => input.in === 'path');
/** The headers by which a holder opens a route; undefined: with nothing that they have. */
function headersFor(route: Route, { credentials }: CallerFixture): Values | undefined {
  const kind = (['secret', 'access', 'publishable'] as CredentialKind[]).find(
    (each) => route.kinds.includes(each) && credentials[each],
  );
  if (!kind) return undefined;
  return kind === 'publishable'
    ? { 'x-publishable-key': credentials[kind]! }
    : { authorization: `Bearer ${credentials[kind]}` };
}

const firstOf = ({ resources }: CallerFixture, thing: ResourceKind): string | undefined =>
  resources[thing]?.[0];

/** The path parameters with the holder's own things. */
const pathOf = (route: Route, holder: CallerFixture): Values =>
  Object.fromEntries(
    pathInputs(route).flatMap((input) => {
      const id = firstOf(holder, thingsOf(input)![0]!);
      return id ? [[input.name, id]] : [];
    }),
  );

function put(target: any, name: string, value: string | string[]): void {
  const parts = name.split('.');
  const last = parts.pop()!;
  const holder = parts.reduce((at, part) => (at[part] ??= {}), target);
  holder[last] = value;
}

/** Asks as somebody, with what is theirs unless told otherwise. */
function ask(
  route: Route,
  holder: CallerFixture,
  sent: Sent,
  headers = headersFor(route, holder),
): Promise<TestResponse> {
  const query = new URLSearchParams(sent.query ?? {});
  const body = sampleBody(route);
  for (const [name, value] of Object.entries(sent.body ?? {})) {
    const isList = route.inputs.some((input) => input.name === name && input.schema['type'] === 'array');
    put(body, name, isList ? [value] : value);
  }
  const path = fillPath(route.path, { ...pathOf(route, holder), ...sent.path });
  return instance.request(route.method, query.size > 0 ? `${path}?${query}` : path, {
    body,
    headers: headers!,
  });
}

const varying = new Set(['requestId', 'nextCursor', 'next_cursor']);

/** All that an answer tells; the values that were sent stand in it under one name. */
function told({ status, headers, body }: TestResponse, sent: Sent): string {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  let text = JSON.stringify({ status, headers: kept, body }, (key, value: unknown) =>
    varying.has(key) && value !== null ? '…' : value,
  );
  for (const values of [sent.path, sent.query, sent.body]) {
    for (const value of Object.values(values ?? {})) text = text.replaceAll(value, '…');
  }
  return text;
}

/** One thing of somebody else and one of nobody, to be sent in the same place. */
interface Trial {
  foreign: Sent;
  nobody: Sent;
}

/** Every choice of path parameters that are somebody else's, the others being one's own. */
function pathTrials(route: Route, { victim }: Pair): Trial[] {
  const inputs = pathInputs(route);
  const choices = Array.from({ length: 2 ** inputs.length - 1 }, (_, index) =>
    inputs.filter((_input, bit) => (index + 1) & (1 << bit)),
  );
  return choices.flatMap((chosen) => {
    const variants = Math.max(...chosen.map((input) => thingsOf(input)!.length));
    return Array.from({ length: variants }, (_, variant) => {
      const [foreign, nobody]: [Values, Values] = [{}, {}];
      for (const input of chosen) {
        const things = thingsOf(input)!;
        const thing = things[variant % things.length]!;
        const id = firstOf(victim, thing);
        if (!id) return null;
        [foreign[input.name], nobody[input.name]] = [id, missing(thing)];
      }
      return { foreign: { path: foreign }, nobody: { path: nobody } };
    }).filter((trial) => trial !== null);
  });
}

/** Every input of a place in turn. */
function fieldTrials({ victim }: Pair, input: RouteInput): Trial[] {
  return thingsOf(input)!.flatMap((thing) => {
    const id = firstOf(victim, thing);
    const sent = (value: string): Sent => ({ [input.in]: { [input.name]: value } });
    return id ? [{ foreign: sent(id), nobody: sent(missing(thing)) }] : [];
  });
}

/** Tries as every attacker of the pairs. @returns what differs, and the statuses for what nobody has */
async function tryAll(
  route: Route,
  trialsOf: (pair: Pair) => Trial[],
): Promise<{ differences: string[]; statuses: Set<number> }> {
  const statuses = new Set<number>();
  const differences: string[] = [];
  for (const pair of pairs.filter(({ attacker }) => headersFor(route, attacker))) {
    for (const { foreign, nobody } of trialsOf(pair)) {
      const answers = [
        await ask(route, pair.attacker, foreign),
        await ask(route, pair.attacker, nobody),
      ] as const;
      statuses.add(answers[1].status);
      const [theirs, nobodys] = [told(answers[0], foreign), told(answers[1], nobody)];
      if (theirs !== nobodys) {
        differences.push(`${route.name} as ${pair.name} ${JSON.stringify(foreign)}\n${theirs}\n${nobodys}`);
      }
    }
  }
  return { differences, statuses };
}

/** Runs checks, and says what they found and what they have written. */
async function unwritten(check: () => Promise<string[]>, isWanted?: (table: string) => boolean) {
  const before = (await dumpTables(instance, isWanted)).split('\n');
  const found = await check();
  const after = (await dumpTables(instance, isWanted)).split('\n');
  const [old, young] = [new Set(before), new Set(after)];
  return [
    ...found,
    ...after.filter((line) => !old.has(line)).map((line) => `written: ${line}`),
    ...before.filter((line) => !young.has(line)).map((line) => `gone: ${line}`),
  ];
}

/** Checks several at once, and collects what they find and what they have written. */
const each = <Checked>(
  chosen: Checked[],
  check: (checked: Checked) => Promise<string[]>,
): Promise<string[]> => unwritten(() => runInChunks(chosen, check));

/** The inputs of a place that are looked up. */
const fieldsIn = (place: RouteInput['in']): { route: Route; input: RouteInput }[] =>
  routes.flatMap((route) =>
    route.inputs
      .filter((input) => input.in === place && thingsOf(input))
      .filter((input) => !isUnused(route, input))
      .map((input) => ({ route, input })),
  );

describe("another tenant's object is one that does not exist", () => {
  it('what every documented input names is known', () => {
    const unknown = routes.flatMap((route) =>
      route.inputs
        .filter((input) => isUnknown(route, input))
        .map((input) => `${route.name}: ${input.name} in the ${input.in}`),
    );
    expect(unknown).toEqual([]);
    const open = routes.filter(
      ({ kinds, inputs }) => kinds.length === 0 && inputs.some((input) => thingsOf(input)),
    );
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it('in a path', async () => {
    const chosen = routes.filter((route) => pathInputs(route).length > 0);
    expect(chosen.length).toBeGreaterThan(20);
    const findings = await each(chosen, async (route) => {
      const { differences, statuses } = await tryAll(route, (pair) => pathTrials(route, pair));
      // Else it was refused for something that has nothing to do with the id.
      return statuses.has(404)
        ? differences
        : [...differences, `${route.name} was never looked for: ${[...statuses].join()}`];
    });
    expect(findings).toEqual([]);
  });

  it('in a path, though its own tenant finds it', async () => {
    const unread: string[] = [];
    for (const route of routes.filter(
      ({ method, inputs }) => method === 'GET' && inputs.some((i) => i.in === 'path'),
    )) {
      for (const holder of [own.organization, sibling.organization, strange.organization]) {
        if ((await ask(route, holder, {})).status !== 200) unread.push(route.name);
      }
    }
    expect(unread).toEqual([]);
  });

  it('in what shows everything that there is', async () => {
    const findings: string[] = [];
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const query: Values = route.inputs.some(({ name }) => name === 'limit') ? { limit: '200' } : {};
      for (const { name, attacker, victim, isSameOrganization, isAbove } of pairs) {
        if (!headersFor(route, attacker) || (isSameOrganization && wholeOrganization.has(route.name)))
          continue;
        const { status, body } = await ask(route, attacker, { query });
        // Some are for organization keys alone.
        expect([route.name, name, [200, 403].includes(status)]).toEqual([route.name, name, true]);
        const shown = JSON.stringify(body);
        const leaked = Object.values(isAbove ? withoutOrganization(victim).resources : victim.resources)
          .flat()
          .filter((id) => shown.includes(id));
        if (leaked.length > 0) findings.push(`${route.name} as ${name}: ${leaked.join(', ')}`);
      }
    }
    expect(findings).toEqual([]);
  });

  it('in a query', async () => {
    const chosen = fieldsIn('query');
    expect(chosen.length).toBeGreaterThan(5);
    const findings = await each(chosen, async ({ route, input }) => {
      const { differences } = await tryAll(route, (pair) => fieldTrials(pair, input));
      const counts = await Promise.all(
        pairs.flatMap((pair) =>
          headersFor(route, pair.victim)
            ? fieldTrials(pair, input).map(
                async ({ foreign }) => (await ask(route, pair.victim, foreign)).body.data?.length as number,
              )
            : [],
        ),
      );
      const isReal = counts.some((count) => count > 0);
      return isReal
        ? differences
        : [...differences, `${route.name}: ${input.name} finds nothing for its own tenant either`];
    });
    expect(findings).toEqual([]);
  });

  it('in a body', async () => {
    const chosen = fieldsIn('body');
    expect(chosen.length).toBeGreaterThan(3);
    const findings = await each(chosen, async ({ route, input }) => {
      const { differences, statuses } = await tryAll(route, (pair) => fieldTrials(pair, input));
      return statuses.has(404)
        ? differences
        : [...differences, `${route.name}: ${input.name} was never looked for: ${[...statuses].join()}`];
    });
    expect(findings).toEqual([]);
  });

  it('in a cursor', async () => {
    const chosen = routes.filter(({ inputs }) => inputs.some(({ name }) => name === 'cursor'));
    expect(chosen.length).toBeGreaterThan(5);
    const findings = await each(chosen, async (route) => {
      let tried = 0;
      const differences: string[] = [];
      for (const pair of pairs.filter(
        ({ attacker, victim }) => headersFor(route, attacker) && headersFor(route, victim),
      )) {
        if (pair.isSameOrganization && wholeOrganization.has(route.name)) continue;
        const filters = route.inputs
          .filter((input) => input.in === 'query' && thingsOf(input))
          .flatMap((input) => fieldTrials(pair, input).map(({ foreign }) => foreign.query!));
        for (const filter of [{}, ...filters]) {
          const cursor = cursorIn((await ask(route, pair.victim, { query: { ...filter, limit: '1' } })).body);
          if (!cursor) continue;
          tried += 1;
          const query = (value: string): Sent => ({ query: { ...filter, limit: '1', cursor: value } });
          const [foreign, nobody] = [query(cursor), query(changed(cursor))];
          const answers = [
            await ask(route, pair.attacker, foreign),
            await ask(route, pair.attacker, nobody),
          ] as const;
          const [theirs, nobodys] = [told(answers[0], foreign), told(answers[1], nobody)];
          if (theirs !== nobodys || answers[0].body.code !== 'invalid_cursor') {
            differences.push(
              `${route.name} as ${pair.name} ${JSON.stringify(filter)}\n${theirs}\n${nobodys}`,
            );
          }
        }
      }
      return tried > 0 ? differences : [`${route.name} has given no cursor to anybody`];
    });
    expect(findings).toEqual([]);
  });
});

/** The cursor of the next page, wherever an answer has it. */
function cursorIn(body: unknown): string | null {
  let cursor: string | null = null;
  JSON.stringify(body, (key, value: unknown) => {
    if (/^next_?cursor$/i.test(key) && typeof value === 'string') cursor = value;
    return value;
  });
  return cursor;
}

/** One's own credential beside one of another project, in every place that is free for it. */
function besides(mine: Values, theirs: CallerFixture['credentials']): Values[] {
  if (!mine['authorization']) {
    return [theirs.secret, theirs.access].map((value) => ({ ...mine, authorization: `Bearer ${value}` }));
  }
  const value = mine['authorization'].replace('Bearer ', '');
  return [
    { ...mine, 'x-publishable-key': theirs.publishable! },
    ...(value.startsWith('sk_') ? [{ 'x-api-key': value, authorization: `Bearer ${theirs.access}` }] : []),
  ];
}

const changed = (cursor: string): string => (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1);

describe('credentials of two projects', () => {
  it('together open nothing, on any route', async () => {
    const findings = await each(
      routes.filter(({ kinds }) => kinds.length > 0),
      async (route) => {
        const mine = headersFor(route, own)!;
        const wrong: string[] = [];
        for (const { credentials } of [sibling, strange]) {
          for (const headers of besides(mine, credentials)) {
            const answer = await ask(route, own, {}, headers);
            if (answer.body.code !== 'multiple_credentials') wrong.push(`${route.name} ${told(answer, {})}`);
          }
        }
        return wrong;
      },
    );
    expect(findings).toEqual([]);
  });

  it("a publishable key knows nobody of another project, also with the customer's password", async () => {
    const [theirs] = sibling.customers[0].resources.email!;
    const enter = (action: string, email: string) =>
      instance.request('POST', `/api/v1/auth/${action}`, {
        body: action === 'login' ? { email, password: PASSWORD } : { email },
        headers: { 'x-publishable-key': own.tenant.publishableKey },
      });
    const differences = await unwritten(
      async () => {
        const found: string[] = [];
        for (const action of ['login', 'forgot-password', 'resend-verification']) {
          const nobody = missing('email');
          const answers = [await enter(action, theirs!), await enter(action, nobody)] as const;
          expect(answers[1].status).toBe(action === 'login' ? 401 : 202);
          const texts = answers.map((answer) => told(answer, {}));
          if (texts[0] !== texts[1]) found.push(...texts);
        }
        return found;
      },
      (table) => table !== 'login_attempts',
    );
    expect(differences).toEqual([]);
  });

  it('an access token shows its own customer alone', async () => {
    for (const { customers } of [own, sibling, strange]) {
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

describe('what one tenant has is free for another', () => {
  const post = (path: string, body: unknown, type?: string) =>
    instance.request('POST', path, {
      body,
      headers: { authorization: `Bearer ${own.tenant.secretKey}`, ...(type ? { 'content-type': type } : {}) },
    });

  it('an e-mail address and an externalId', async () => {
    const customer = { email: sibling.resources.email![1]!, externalId: sibling.resources.externalId![0]! };
    expect(await post('/api/v1/customers', customer)).toMatchObject({
      status: 201,
      body: { ...customer, projectId: own.tenant.projectId },
    });
  });

  it('an import puts everybody into its own project, whatever their lines say', async () => {
    const theirs = { id: sibling.resources.customer![0], projectId: sibling.tenant.projectId };
    const before = await instance.sql('SELECT * FROM customers WHERE project_id = $1 ORDER BY id', [
      theirs.projectId,
    ]);
    const email = missing('email');
    const { status, body } = await post('/api/v1/customers/import', { customers: [{ ...theirs, email }] });
    expect({ status, result: body.results }).toMatchObject({ status: 200, result: [{ status: 'created' }] });
    const [made] = await instance.sql('SELECT id, project_id FROM customers WHERE email = $1', [email]);
    expect(made).toEqual({ id: body.results[0].id, project_id: own.tenant.projectId });
    expect(made!['id']).not.toBe(theirs.id);
    const after = await instance.sql('SELECT * FROM customers WHERE project_id = $1 ORDER BY id', [
      theirs.projectId,
    ]);
    expect(after).toEqual(before);
  });

  it('the id of an import', async () => {
    const [importId] = sibling.resources.import!;
    const show = (key: string) =>
      instance.request('GET', `/api/v1/imports/${importId}`, { headers: { authorization: `Bearer ${key}` } });
    const before = await show(sibling.tenant.secretKey);
    const line = JSON.stringify({ email: missing('email') });
    const made = await post(
      `/api/v1/customers/import?importId=${importId}`,
      `${line}\n`,
      'application/x-ndjson',
    );
    expect(made).toMatchObject({ status: 200, body: { projectId: own.tenant.projectId, created: 1 } });
    expect((await show(sibling.tenant.secretKey)).body).toEqual(before.body);
    expect((await show(own.tenant.secretKey)).body).toEqual(made.body);
  });

  it('no project of another tenant takes an import of lines', async () => {
    const line = JSON.stringify({ email: missing('email') });
    const findings = await unwritten(async () => {
      const texts = await Promise.all(
        [sibling.tenant.projectId, missing('project')].map(async (projectId) => {
          const path = `/api/v1/customers/import?projectId=${projectId}`;
          const answer = await post(path, `${line}\n`, 'application/x-ndjson');
          expect(answer.status).toBe(404);
          return told(answer, { query: { projectId } });
        }),
      );
      return texts[0] === texts[1] ? [] : texts;
    });
    expect(findings).toEqual([]);
  });
});
