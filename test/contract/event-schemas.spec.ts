import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import {
  customEventExample,
  customEventSchema,
  eventExamples,
  eventResources,
  eventSchema,
  eventsSchema,
  eventTypes,
  parsePublicId,
  type EventBody,
  type EventType,
} from '@gatehouse/domain';
import { completeChallenge, openChallenge, registerWithTotp } from '../support/customer-factors.js';
import { withSettings } from '../support/customers.js';
import { createDomainProvider, requireProvider } from '../support/identity-providers/provider-domains.js';
import { receiveEmailCode, verifyEmailCode } from '../support/email-codes.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { addProvider, changeSettings, openSocialSession, REDIRECT_URL } from '../support/social-sign-in.js';
import { registerWithPasskey, signInWithPasskey } from '../support/passkeys.js';
import { eventually } from '../support/eventually.js';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import { TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { insertSessions } from '../support/insert-sessions.js';
import { strictAjv } from '../support/json-schemas.mjs';
import { uniqueEmail } from '../support/unique-email.js';

const types = Object.keys(eventTypes) as EventType[];

const readJson = async (name: string): Promise<any> => JSON.parse(await readFile(name, 'utf8'));

/** Returns a function that validates a body against the published schema, as a receiver would. */
async function loadPublishedSchemas(): Promise<(type: string, body: unknown) => string[]> {
  const ajv = strictAjv().addSchema(await readJson('docs/events.schema.json'), 'events');
  return (type, body) => {
    const validate = ajv.getSchema(`events#/$defs/${type}`);
    if (!validate) return [`${type} has no schema`];
    return findProblems(validate, body);
  };
}

function findProblems(validate: ValidateFunction, body: unknown): string[] {
  void validate(body);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns all member paths, at every depth. */
const memberPaths = (value: object): string[][] =>
  Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...(isObject(member) ? memberPaths(member).map((path) => [name, ...path]) : []),
  ]);

/** Returns a copy of `body` after applying `change` to the parent of the member at `path`. */
function changed(body: object, path: string[], change: (parent: any, name: string) => void): unknown {
  const copy: any = structuredClone(body);
  const parent = path.slice(0, -1).reduce((at, name) => at[name], copy);
  change(parent, path.at(-1)!);
  return copy;
}

describe('an event schema', () => {
  let problemsOf: Awaited<ReturnType<typeof loadPublishedSchemas>>;
  beforeAll(async () => (problemsOf = await loadPublishedSchemas()));

  test('has examples that match the published schema and the schema of their type', () => {
    const ajv = strictAjv();
    const invalid = types.flatMap((type) => {
      const { type: exampleType } = eventExamples[type];
      const ownProblems = findProblems(ajv.compile(eventSchema(type)), eventExamples[type]);
      const found = [
        ...problemsOf(type, eventExamples[type]),
        ...ownProblems,
        ...(exampleType === type ? [] : [exampleType]),
      ];
      return found.map((problem) => `${type}: ${problem}`);
    });
    expect(invalid).toEqual([]);
  });

  test('requires and types every member of an example, and accepts additional members', () => {
    const add = (parent: any) => (parent.addedLater = true);
    const violations = types.flatMap((type) => {
      const paths = memberPaths(eventExamples[type]);
      expect(paths.length).toBeGreaterThan(6);
      const problemsAfter = (path: string[], change: (parent: any, name: string) => void): string[] =>
        problemsOf(type, changed(eventExamples[type], path, change));
      return paths.flatMap((path) => [
        ...(problemsAfter(path, (parent, name) => delete parent[name]).length === 0
          ? [`${type} ${path}: optional`]
          : []),
        ...(problemsAfter(path, (parent, name) => (parent[name] = Infinity)).length === 0
          ? [`${type} ${path}: untyped`]
          : []),
        ...(problemsAfter(path, add).length > 0 ? [`${type} ${path}: closed`] : []),
      ]);
    });
    expect(violations).toEqual([]);
  });

  test('describes custom events with arbitrary data', () => {
    const validate = strictAjv().compile(customEventSchema);
    for (const body of [customEventExample, { ...customEventExample, type: 'app.x', data: {} }])
      expect([...findProblems(validate, body), ...problemsOf('app.*', body)]).toEqual([]);
    for (const change of [{ type: 'order.paid' }, { data: [] }, { project_id: null }])
      expect(validate({ ...customEventExample, ...change })).toBe(false);
  });

  test('distinguishes bodies by their type', () => {
    const validate = strictAjv().compile(eventsSchema);
    for (const type of types) expect(findProblems(validate, eventExamples[type])).toEqual([]);
    expect(findProblems(validate, customEventExample)).toEqual([]);
    expect(validate({ ...eventExamples['login.failed'], type: 'login.succeeded' })).toBe(false);
    expect(validate({ ...eventExamples['login.failed'], type: 'login.unheard_of' })).toBe(false);
  });

  test('has examples with unique ids that are the same in every run', async () => {
    const published = (await readJson('docs/events.schema.json')).$defs;
    expect(types.map((type) => published[type].examples)).toEqual(types.map((type) => [eventExamples[type]]));
    expect(new Set(types.map((type) => eventExamples[type].id)).size).toBe(types.length);
    for (const type of types) expect(parsePublicId('event', eventExamples[type].id)).not.toBeNull();
  });

  test('describes resources with the same members and types as the OpenAPI document', async () => {
    const { schemas } = (await readJson('docs/openapi.json')).components;
    for (const [noun, schema] of Object.entries(eventResources)) {
      const response = `${noun[0]!.toUpperCase()}${noun.slice(1)}Response`;
      expect({ noun, shape: shape(schema, schemas) }).toEqual({
        noun,
        shape: shape(schemas[response], schemas),
      });
    }
  });
});

/** Returns the names, types and formats of the members in a schema, at every depth. */
function shape(schema: any, schemas: Record<string, any>): unknown {
  const ref = schema.$ref ?? schema.allOf?.[0].$ref ?? schema.anyOf?.[0].$ref;
  if (ref) return shape(schemas[ref.split('/').at(-1)], schemas);
  const { type, format, properties, required, items } = schema;
  if (items) return { type, items: shape(items, schemas) };
  if (!properties) return { type, format };
  const names = Object.keys(properties).sort();
  expect([...required].sort()).toEqual(names);
  return Object.fromEntries(names.map((name) => [name, shape(properties[name], schemas)]));
}

describe('the event stream of complete lifecycles', () => {
  const SECOND_PASSWORD = 'quite another unusual phrase';
  const THIRD_PASSWORD = 'the third of the unusual phrases';
  const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

  let instance: TestInstance;
  /** Values that no event may contain. */
  const secrets = new Set([PASSWORD, SECOND_PASSWORD, THIRD_PASSWORD]);
  let bodies: { text: string; body: EventBody & { data: any } }[];

  /** Sends a request with the secret key. @returns the response body */
  const requestAsServer = async (
    status: number,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<any> => expectStatus(status, await instance.requestWithSecretKey(method, path, body)).body;
  const login = async (email: string, password: string): Promise<TestResponse> => {
    return recordTokens(await instance.login(email, password, { 'user-agent': AGENT }));
  };
  const recordTokens = (response: TestResponse): TestResponse => {
    if (response.body.tokens) {
      secrets.add(response.body.tokens.accessToken).add(response.body.tokens.refreshToken);
    }
    return response;
  };
  const getAccessToken = async (email: string, password: string): Promise<string> =>
    expectStatus(200, await login(email, password)).body.tokens.accessToken;
  const refresh = async (refreshToken: string): Promise<TestResponse> =>
    recordTokens(await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } }));
  const getMailToken = async (email: string, kind: string): Promise<string> => {
    const mails = await instance.requestWithSecretKey(
      'GET',
      `/api/v1/mailbox?email=${encodeURIComponent(email)}`,
    );
    const { link } = mails.body.data.find((mail: { kind: string }) => mail.kind === kind);
    const token = new URL(link).searchParams.get('token')!;
    secrets.add(token);
    return token;
  };
  const postToken = (route: string, token: string, more: object = {}): Promise<TestResponse> =>
    instance.request('POST', `/api/v1/auth/${route}`, { body: { token, ...more } });

  function expectStatus(status: number, response: TestResponse): TestResponse {
    expect({ status: response.status, body: response.body }).toMatchObject({ status });
    return response;
  }

  /** Registers and verifies a customer, refreshes a session and reuses an old refresh token. */
  async function registerAndRefresh(email: string): Promise<string> {
    const registered = expectStatus(201, recordTokens(await instance.register(email)));
    const { customer, tokens } = registered.body;
    expectStatus(200, await postToken('verify-email', await getMailToken(email, 'verify-email')));
    const second = expectStatus(200, await refresh(tokens.refreshToken)).body.tokens;
    expectStatus(200, await refresh(second.refreshToken));
    expectStatus(401, await refresh(tokens.refreshToken));
    return customer.id;
  }

  async function changePasswords(email: string, id: string): Promise<void> {
    await getAccessToken(email, PASSWORD);
    const access = await getAccessToken(email, PASSWORD);
    const change = { currentPassword: PASSWORD, newPassword: SECOND_PASSWORD };
    expectStatus(204, await instance.requestWithAccessToken(access, 'POST', '/api/v1/me/password', change));

    for (let count = 0; count < 10; count += 1) expectStatus(401, await login(email, `wrong ${count}`));
    await requestAsServer(200, 'POST', `/api/v1/customers/${id}/unlock`);

    expectStatus(
      202,
      await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email }),
    );
    const token = await getMailToken(email, 'reset-password');
    expectStatus(204, await postToken('reset-password', token, { password: THIRD_PASSWORD }));
  }

  /** Changes the profile and the email address. @returns the new address */
  async function changeProfile(email: string): Promise<string> {
    const access = await getAccessToken(email, THIRD_PASSWORD);
    expectStatus(
      200,
      await instance.requestWithAccessToken(access, 'PATCH', '/api/v1/me', {
        firstName: 'Ada',
        lastName: null,
      }),
    );
    const newEmail = `${randomUUID()}@example.org`;
    const emailChange = { email: newEmail, password: THIRD_PASSWORD };
    expectStatus(202, await instance.requestWithAccessToken(access, 'POST', '/api/v1/me/email', emailChange));
    expectStatus(
      200,
      await postToken('confirm-email-change', await getMailToken(email, 'change-email-current')),
    );
    expectStatus(
      200,
      await postToken('confirm-email-change', await getMailToken(newEmail, 'change-email-new')),
    );
    return newEmail;
  }

  async function endSessions(email: string, id: string): Promise<void> {
    const path = `/api/v1/customers/${id}`;
    await requestAsServer(200, 'POST', `${path}/disable`);
    await requestAsServer(200, 'POST', `${path}/enable`);
    await insertSessions(instance, id, 100);
    await getAccessToken(email, THIRD_PASSWORD);
    await requestAsServer(204, 'DELETE', `${path}/sessions`);
    const access = await getAccessToken(email, THIRD_PASSWORD);
    expectStatus(
      204,
      await instance.requestWithAccessToken(access, 'POST', '/api/v1/auth/logout', { scope: 'all' }),
    );
  }

  /** Invites a customer, who verifies the address by accepting. @returns the customer's id */
  async function acceptInvitation(email: string): Promise<string> {
    const externalId = `crm-${randomUUID()}`;
    const invited = { email, externalId, metadata: { tier: 3 }, sendInvite: true };
    const { id } = await requestAsServer(201, 'POST', '/api/v1/customers', invited);
    const token = await getMailToken(email, 'accept-invite');
    expectStatus(204, await postToken('reset-password', token, { password: SECOND_PASSWORD }));
    return id;
  }

  /** Registers a customer who verifies the address with a password reset. @returns the customer's id */
  async function resetUnverified(email: string): Promise<string> {
    const { customer } = expectStatus(201, recordTokens(await instance.register(email))).body;
    await getMailToken(email, 'verify-email');
    expectStatus(
      202,
      await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email }),
    );
    const token = await getMailToken(email, 'reset-password');
    expectStatus(204, await postToken('reset-password', token, { password: THIRD_PASSWORD }));
    return customer.id;
  }

  /** Registers a customer with an address owned by another person, who disowns the account and sets a password. */
  async function disownAccount(email: string): Promise<void> {
    expectStatus(201, recordTokens(await instance.register(email)));
    expectStatus(200, await postToken('disown', await getMailToken(email, 'verify-email')));
    const token = await getMailToken(email, 'reset-password');
    expectStatus(204, await postToken('reset-password', token, { password: SECOND_PASSWORD }));
  }

  /** Adds an authenticator, uses a recovery code, and has support remove the authenticator. */
  async function changeFactors(): Promise<void> {
    const { projectId } = instance.credentials;
    await requestAsServer(200, 'PATCH', `/api/v1/projects/${projectId}`, { settings: { mfa: 'optional' } });
    const { id, email, factorId, secret, recoveryCodes } = await registerWithTotp(instance);
    for (const value of [secret, ...recoveryCodes]) secrets.add(value);
    const challenge = await openChallenge(instance, email);
    secrets.add(challenge);
    recordTokens(
      expectStatus(200, await completeChallenge(instance, challenge, recoveryCodes[0]!, 'recovery-code')),
    );
    await requestAsServer(204, 'POST', `/api/v1/customers/${id}/factors/${factorId}/remove`, {
      reason: 'Ticket 4711',
    });
  }

  /** Registers a customer with an address owned by another person, who signs in with an email code. */
  async function claimWithEmailCode(email: string): Promise<void> {
    expectStatus(201, recordTokens(await instance.register(email)));
    await withSettings(instance, { signIn: { emailCode: true }, mailLimits: { signIn: 5 } }, async () => {
      const received = await receiveEmailCode(instance, email);
      expectStatus(200, recordTokens(await verifyEmailCode(instance, received)));
      secrets.add(received.token);
    });
  }

  /** Adds a passkey, signs in with it and with a clone, and has support remove it. */
  async function changePasskeys(): Promise<void> {
    const { projectId } = instance.credentials;
    const settings = { signIn: { passkey: true } };
    await requestAsServer(200, 'PATCH', `/api/v1/projects/${projectId}`, { settings });
    const authenticator = new SoftwareAuthenticator();
    authenticator.counter = 1;
    const { id, passkeyId } = await registerWithPasskey(instance, authenticator);
    authenticator.counter = 2;
    recordTokens(expectStatus(200, await signInWithPasskey(instance, authenticator)));
    expectStatus(401, await signInWithPasskey(instance, authenticator));
    await requestAsServer(204, 'POST', `/api/v1/customers/${id}/factors/${passkeyId}/remove`, {
      reason: 'Ticket 4711',
    });
  }

  /** Signs in the owner of an address that another person has registered, and unlinks the identity as support. */
  async function changeIdentities(): Promise<void> {
    const server = await StandInProvider.start();
    try {
      const { projectId, publishableKey } = instance.credentials;
      const project = { id: projectId, publishableKey };
      await changeSettings(instance, project, { redirectUrls: [REDIRECT_URL] });
      const google = await addProvider(instance, project, server, { type: 'google', issuer: server.issuer });
      const email = `ada@${randomUUID()}.example`;
      expectStatus(201, recordTokens(await instance.register(email)));
      server.user = createProviderUser({ email, hd: 'example.com' });
      const { id } = await openSocialSession(instance, project, google.slug);
      const [identity] = (await requestAsServer(200, 'GET', `/api/v1/customers/${id}/identities`)).data;
      const path = `/api/v1/customers/${id}/identities/${identity.id}/remove`;
      await requestAsServer(204, 'POST', path, { reason: 'Ticket 4711' });
    } finally {
      await server.stop();
    }
  }

  /**
   * Changes an organization by creating a child organization, projects and keys.
   * @returns the resources that the events must match
   */
  async function changeOrganization(): Promise<{ organization: any; project: any; apiKey: any }> {
    const { organizationId } = instance.credentials;
    const organization = await requestAsServer(200, 'PATCH', `/api/v1/organizations/${organizationId}`, {
      name: 'Renamed',
    });
    const child = { name: 'Child', slug: 'child' };
    await requestAsServer(201, 'POST', '/api/v1/organizations', child);
    const createdProject = await requestAsServer(201, 'POST', '/api/v1/projects', { name: 'Short-lived' });
    const keys = `/api/v1/projects/${createdProject.id}/api-keys`;
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const first = await requestAsServer(201, 'POST', keys, { name: 'First', expiresAt });
    // No event reports that a rotated key is expiring.
    await instance.runJob('expiring keys');
    const second = await requestAsServer(201, 'POST', `${keys}/${first.id}/rotate`);
    for (const { key } of [first, second]) {
      secrets.add(key).add(createHash('sha256').update(key).digest('hex'));
    }
    await requestAsServer(204, 'DELETE', `${keys}/${second.id}`);
    const apiKey = await requestAsServer(200, 'GET', `${keys}/${second.id}`);
    const project = await requestAsServer(200, 'POST', `/api/v1/projects/${createdProject.id}/archive`);
    return { organization, project, apiKey };
  }

  /** Requires an identity provider for the domain of a customer who has signed in with a password. */
  async function requireDomainProvider(): Promise<void> {
    const provider = await createDomainProvider(instance);
    await instance.register(`${randomUUID()}@${provider.domain}`);
    await instance.sql('UPDATE identity_provider_domains SET verified_at = now() WHERE provider_id = $1', [
      provider.id,
    ]);
    await requireProvider(instance, provider);
    await instance.runJob('RequiredDomainEnforcer');
  }

  /** Tests an endpoint, lets a delivery fail permanently and disables the endpoint. @returns the endpoint */
  async function disableFailingEndpoint(): Promise<unknown> {
    const { id, secret } = await instance.createEndpoint('http://127.0.0.1:9/', ['customer.disabled']);
    secrets.add(secret);
    const path = `/v1/webhooks/endpoints/${id}`;
    await requestAsServer(202, 'POST', `${path}/test`);
    await requestAsServer(200, 'POST', `/api/v1/customers/${graceId}/disable`);
    await eventually('a dead letter', async () => {
      await instance.runJob('DeadLetterNotifier');
      return (await readBodies()).some(({ body }) => body.type === 'webhook.dead_lettered');
    });
    await requestAsServer(200, 'POST', `${path}/disable`);
    await requestAsServer(200, 'POST', `/api/v1/customers/${graceId}/enable`);
    return (await requestAsServer(200, 'GET', path)).data;
  }

  const readBodies = async (): Promise<typeof bodies> =>
    (await instance.sql<{ body: string }>('SELECT body FROM events ORDER BY id')).map(({ body }) => ({
      text: body,
      body: JSON.parse(body),
    }));
  const findEventData = (type: EventType, customerId?: string): any =>
    bodies.findLast(({ body }) => body.type === type && (!customerId || body.data.customer.id === customerId))
      ?.body.data;

  let adaId: string;
  let graceId: string;
  let project: unknown;
  let managed: Awaited<ReturnType<typeof changeOrganization>>;
  let endpoint: unknown;

  beforeAll(async () => {
    instance = await TestInstance.startShared({
      workerEnv: { PERIODIC_JOBS: 'off', WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s' },
    });
    const { publishableKey, secretKey, projectSecretKey, projectId } = instance.credentials;
    for (const key of [publishableKey, secretKey, projectSecretKey]) secrets.add(key);

    await disownAccount(uniqueEmail());
    await changeFactors();
    await claimWithEmailCode(uniqueEmail());
    await changePasskeys();
    await changeIdentities();
    await requireDomainProvider();
    const email = uniqueEmail();
    adaId = await registerAndRefresh(email);
    await changePasswords(email, adaId);
    await endSessions(await changeProfile(email), adaId);

    graceId = await acceptInvitation(uniqueEmail());
    const unverifiedId = await resetUnverified(uniqueEmail());
    // The lock is written concurrently with the response to the tenth wrong password. Its event must be read before
    // the customer is deleted, because the deletion erases it.
    await eventually(
      'the lock',
      async () => (bodies = await readBodies()) && findEventData('customer.locked'),
    );
    await requestAsServer(204, 'DELETE', `/api/v1/customers/${unverifiedId}`);

    const change = { name: 'Renamed', settings: { accessTokenTtl: 600, branding: { color: '#0f172a' } } };
    project = await requestAsServer(200, 'PATCH', `/api/v1/projects/${projectId}`, change);
    managed = await changeOrganization();
    endpoint = await disableFailingEndpoint();
    const seen = new Set(bodies.map(({ body }) => body.id));
    bodies.push(...(await readBodies()).filter(({ body }) => !seen.has(body.id)));
  });
  afterAll(async () => instance?.stop());

  test('contains every event type and no other', () => {
    expect([...new Set(bodies.map(({ body }) => body.type))].sort()).toEqual([...types].sort());
  });

  test('matches the published schemas', async () => {
    const problemsOf = await loadPublishedSchemas();
    const invalid = bodies
      .map(({ body }) => ({ type: body.type, problems: problemsOf(body.type, body) }))
      .filter((found) => found.problems.length > 0);
    expect(invalid).toEqual([]);
  });

  test('contains exactly the members of the examples', () => {
    for (const { body } of bodies) {
      const example = eventExamples[body.type];
      expect({ type: body.type, names: Object.keys(body) }).toEqual({
        type: body.type,
        names: Object.keys(example),
      });
      const { previous: _, ...data } = body.data;
      const { previous: __, ...documented } = example.data as any;
      expect({ type: body.type, shape: names(data) }).toEqual({ type: body.type, shape: names(documented) });
    }
  });

  test('contains every documented reason and verification method, and no other', () => {
    const documented = (type: EventType, ...path: string[]): string[] =>
      path.reduce((at, name) => at.properties[name], eventSchema(type) as any).examples;
    const seen = (type: EventType, read: (data: any) => string): string[] => [
      ...new Set(bodies.filter(({ body }) => body.type === type).map(({ body }) => read(body.data))),
    ];
    expect(seen('session.revoked', ({ reason }) => reason).sort()).toEqual(
      [...documented('session.revoked', 'data', 'reason')].sort(),
    );
    expect(seen('verification.completed', ({ verification }) => verification.via).sort()).toEqual(
      [...documented('verification.completed', 'data', 'verification', 'via')].sort(),
    );
  });

  test('contains resources exactly as GET returns them to a secret key', async () => {
    const shown = await instance.requestWithSecretKey('GET', `/api/v1/customers/${adaId}`);
    expect(findEventData('session.revoked', adaId).customer).toEqual(shown.body);
    expect(findEventData('project.updated')).toEqual({
      project,
      previous: {
        name: 'My project',
        settings: { accessTokenTtl: 3600, branding: { color: null } },
      },
    });
    expect(
      (await instance.requestWithSecretKey('GET', `/api/v1/projects/${instance.credentials.projectId}`)).body,
    ).toEqual(project);

    expect(findEventData('project.archived').project).toEqual(managed.project);
    expect(findEventData('api_key.revoked').apiKey).toEqual(managed.apiKey);
    expect(findEventData('webhook.endpoint_disabled')).toEqual({ endpoint });
    expect(findEventData('webhook.dead_lettered').endpoint).toEqual(findEventData('webhook.test').endpoint);
    expect(findEventData('organization.updated')).toEqual({
      organization: managed.organization,
      previous: { name: 'My organization' },
    });

    const { email } = (await instance.requestWithSecretKey('GET', `/api/v1/customers/${graceId}`)).body;
    await getAccessToken(email, SECOND_PASSWORD);
    bodies = await readBodies();
    const sessions = await instance.requestWithSecretKey('GET', `/api/v1/customers/${graceId}/sessions`);
    expect(sessions.body.data).toEqual([findEventData('session.created', graceId).session]);
    expect(findEventData('login.succeeded', graceId).session.device).toBe('Firefox on Linux');
  });

  test('contains no password, token, key or link', async () => {
    const hashes = await instance.sql<{ hash: string }>(
      'SELECT password_hash AS hash FROM customers WHERE password_hash IS NOT NULL',
    );
    const forbidden = [...secrets, ...hashes.map(({ hash }) => hash), instance.baseUrl, 'token=', '$2b$'];
    expect(forbidden.length).toBeGreaterThan(25);
    expect(forbidden.filter((secret) => !secret)).toEqual([]);
    const exposed = forbidden.filter((secret) => bodies.some(({ text }) => text.includes(secret)));
    expect(exposed).toEqual([]);
  });
});

/** Returns all member names at every depth, except those in metadata, which the caller chooses. */
const names = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, /metadata$/i.test(name) ? '…' : names(member)]),
      )
    : null;
