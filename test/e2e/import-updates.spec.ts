import { randomUUID } from 'node:crypto';
import bcrypt from 'bcrypt';
import { refreshSession } from '../support/customers.js';
import { insertProvider } from '../support/identity-providers/insert-provider.js';
import { day, summarize, createImportLine, results } from '../support/import-updates.js';
import { importLines, toNdjson } from '../support/ndjson.js';
import { portablePasskey } from '../support/passkeys.js';
import { TestInstance, bearerHeader, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { randomTotpSecret } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const importList = (customers: object[], options: object = {}): Promise<TestResponse> =>
  instance.request('POST', '/api/v1/customers/import', {
    body: { customers, ...options },
    headers: bearerHeader(instance.credentials.secretKey),
  });
const update = (customers: object[], options: object = {}) =>
  importList(customers, { update: true, ...options });
const getCustomer = async (id: string): Promise<Record<string, any>> =>
  (await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`)).body;
const change = (id: string, body: object, path = '') =>
  instance.requestWithSecretKey(path ? 'POST' : 'PATCH', `/api/v1/customers/${id}${path}`, body);
const audited = async (id: string): Promise<[string, unknown][]> =>
  (
    await instance.sql<{ action: string; details: object }>(
      'SELECT action, details FROM audit_log WHERE target_id = $1 ORDER BY id',
      [id],
    )
  ).map(({ action, details }) => [action, details]);

it('an import updates customers from newer lines and creates others, as its dry run predicts', async () => {
  const id = randomUUID();
  const people = {
    renamed: createImportLine({
      firstName: 'Ada',
      lastName: 'Byron',
      metadata: { plan: 'free' },
      locale: 'en',
    }),
    byId: { ...createImportLine({ id }), externalId: undefined },
    same: createImportLine({ firstName: 'Grace' }),
    moved: createImportLine({ emailVerified: true }),
    blocked: createImportLine(),
    changed: createImportLine({ firstName: 'Joan' }),
  };
  const imported = await importList(Object.values(people));
  expect(imported.body).toMatchObject({ created: 6, updated: 0 });
  const ids = imported.body.results.map((result: any) => result.id) as string[];
  const [renamedId, , , movedId, blockedId, changedId] = ids as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  await change(changedId, { firstName: 'Joanna' });
  const [newer, email] = [{ updatedAt: day(2) }, uniqueEmail()];
  const lines: [object, string][] = [
    [
      {
        ...people.renamed,
        ...newer,
        lastName: 'Lovelace',
        metadata: { plan: 'pro' },
        locale: null,
        imageUrl: 'https://example.com/ada.png',
        mfa: 'required',
      },
      'updated',
    ],
    [{ ...people.byId, ...newer, firstName: 'Alan', externalId: 'crm-1' }, 'updated'],
    [{ ...people.same, ...newer }, 'skipped :unchanged'],
    [{ ...people.moved, ...newer, email }, 'updated'],
    [
      { ...people.blocked, ...newer, email: people.same.email, firstName: 'Eve' },
      'updated email:email_already_registered',
    ],
    [
      { ...people.changed, ...newer, firstName: 'Jo', lastName: 'Clarke' },
      'skipped firstName:conflict lastName:conflict',
    ],
    // These lines are older than the customers' first lines.
    [{ ...people.renamed, firstName: 'Augusta' }, 'skipped updatedAt:not_newer'],
    [{ ...people.changed, firstName: 'Jo' }, 'skipped updatedAt:not_newer'],
    // A different customer, whose id in another system is the same.
    [
      createImportLine({ externalId: people.same.externalId, createdAt: day(0), ...newer, firstName: 'Eve' }),
      'skipped externalId:conflict',
    ],
    [createImportLine({ id, externalId: undefined, createdAt: day(0), ...newer }), 'skipped id:conflict'],
    [createImportLine(), 'created'],
    [createImportLine({ email: people.same.email }), 'skipped email:email_already_registered'],
    [{ email: people.same.email }, 'skipped email:email_already_registered'],
    [createImportLine({ metadata: 'text' }), 'created metadata:invalid'],
  ];
  const send = (options: object = {}) =>
    update(
      lines.map(([line]) => line),
      options,
    );
  const before = await Promise.all(ids.map(getCustomer));
  const dryRun = await send({ dryRun: true });
  expect(results(dryRun)).toEqual(lines.map(([, result]) => result));
  expect(await Promise.all(ids.map(getCustomer))).toEqual(before);
  const response = await send();
  expect(results(response)).toEqual(lines.map(([, result]) => result));
  const counts = { total: 14, created: 2, updated: 4, skipped: 8, failed: 0, unchanged: 3, incomplete: 2 };
  expect(response.body).toMatchObject(counts);
  expect(dryRun.body).toMatchObject(counts);
  const [renamed, byId, same, moved, blocked, changed] = await Promise.all(ids.map(getCustomer));
  expect(renamed).toEqual({
    ...before[0],
    ...{ lastName: 'Lovelace', metadata: { plan: 'pro' }, locale: null, mfa: 'required', updatedAt: day(2) },
    imageUrl: 'https://example.com/ada.png',
  });
  expect(byId).toMatchObject({ id, firstName: 'Alan', externalId: 'crm-1' });
  expect(same).toEqual({ ...before[2], ...newer });
  expect(moved).toMatchObject({ id: movedId, email, emailVerified: true });
  expect(blocked).toMatchObject({ id: blockedId, email: people.blocked.email, firstName: 'Eve' });
  expect(changed).toMatchObject({ firstName: 'Joanna', lastName: null });
  expect(await audited(renamedId)).toEqual([
    ['customer.updated', { changed: ['lastName', 'metadata', 'locale', 'mfa', 'imageUrl'] }],
  ]);
  expect(await instance.events(renamedId)).toEqual([]);
  // Services need this event to reject access.
  const previous = { email: people.moved.email };
  expect(await instance.events(movedId)).toMatchObject([{ type: 'email.changed', data: { previous } }]);
  const { body } = await instance.requestWithSecretKey('GET', `/api/v1/imports/${response.body.id}`);
  expect(body).toMatchObject(counts);
  expect(body.failures.data.map(summarize)).toEqual(
    lines.map(([, result]) => result).filter((result) => !['created', 'updated'].includes(result)),
  );
});

it('an import disables banned customers, and enables only those that an import disabled', async () => {
  const active = createImportLine({ passwordHash: bcrypt.hashSync(PASSWORD, 4) });
  const [banned, disabledHere, bannedTwice, enabledHere] = [
    createImportLine(),
    createImportLine(),
    createImportLine(),
    createImportLine(),
  ];
  const ban = { disabledAt: day(1) };
  const imported = await importList([
    active,
    { ...banned, ...ban },
    disabledHere,
    { ...bannedTwice, ...ban },
    enabledHere,
  ]);
  const [activeId, bannedId, disabledId, twiceId, enabledId] = imported.body.results.map(
    ({ id }: any) => id,
  ) as string[];
  const session = await instance.login(active.email);
  expect(session.status).toBe(200);
  // Disabling and enabling count as changes even if they change nothing.
  for (const id of [disabledId!, twiceId!]) await change(id, {}, '/disable');
  await change(enabledId!, {}, '/enable');
  const now = new Date().toISOString();
  const response = await update([
    { ...active, updatedAt: day(2), disabledAt: day(2), firstName: 'Ada' },
    { ...banned, updatedAt: day(2), disabledAt: null },
    // This line is newer than the change in Gatehouse.
    { ...disabledHere, updatedAt: now, disabledAt: null, firstName: 'Eve' },
    { ...bannedTwice, updatedAt: day(2), disabledAt: null },
    { ...enabledHere, disabledAt: day(2) },
  ]);
  expect(results(response)).toEqual([
    'updated passwordHash:conflict',
    'updated',
    'updated disabledAt:conflict firstName:replaced',
    'skipped :unchanged disabledAt:conflict',
    'skipped disabledAt:conflict',
  ]);
  expect(await getCustomer(activeId!)).toMatchObject({ disabledAt: day(2), updatedAt: day(2) });
  expect(await getCustomer(bannedId!)).toMatchObject({ disabledAt: null });
  expect(await getCustomer(disabledId!)).toMatchObject({ disabledAt: expect.any(String), firstName: 'Eve' });
  expect((await refreshSession(instance, session.body.tokens.refreshToken)).status).toBe(401);
  expect(await audited(activeId!)).toEqual([
    ['customer.updated', { changed: ['firstName'] }],
    ['customer.disabled', {}],
  ]);
  const types = async (id: string) => (await instance.events(id)).map(({ type }) => type);
  // Even without emitEvents, these events are recorded, because services need them to reject access.
  expect((await types(activeId!)).slice(-2)).toEqual(['customer.disabled', 'session.revoked']);
  expect(await types(activeId!)).not.toContain('customer.updated');
  expect(await types(bannedId!)).toEqual(['customer.enabled']);
  // The next update also treats the customer as disabled by Gatehouse.
  const again = await update([{ ...disabledHere, updatedAt: now, disabledAt: null, firstName: 'Eve' }]);
  expect(results(again)).toEqual(['skipped disabledAt:conflict']);
});

it('an import adds credentials, and replaces only imported passwords', async () => {
  const { slug } = await insertProvider(instance);
  const hash = (password: string) => bcrypt.hashSync(password, 4);
  const [oldHash, newHash] = [hash(PASSWORD), hash('another long phrase')];
  const [passkey, taken, totpSecret] = [portablePasskey(), portablePasskey(), randomTotpSecret()];
  const [known, other, signedIn, bare, foreign] = [
    createImportLine({ passwordHash: oldHash, totpSecret, passkeys: [passkey] }),
    createImportLine({ passkeys: [taken], identities: [{ provider: slug, subject: 'other' }], totpSecret }),
    createImportLine({ passwordHash: oldHash }),
    createImportLine(),
    createImportLine({
      passwordHash: `v1$00000000${oldHash}`,
      identities: [{ provider: 'later', subject: '1' }],
    }),
  ];
  const imported = await importList([known, other, signedIn, bare, foreign]);
  expect(imported.body).toMatchObject({ created: 5, incomplete: 1 });
  const ids = imported.body.results.map(({ id }: any) => id) as string[];
  // Signing in replaces the imported hash.
  expect((await instance.login(signedIn.email)).status).toBe(200);
  await insertProvider(instance, { slug: 'later' });
  const newer = { updatedAt: day(2) };
  const identity = { provider: slug, subject: 'known' };
  const lines: [object, string][] = [
    [
      { ...known, ...newer, passwordHash: newHash, identities: [identity, identity] },
      'updated identities.1.subject:repeated',
    ],
    [{ ...other, ...newer, totpSecret: randomTotpSecret() }, 'skipped :unchanged totpSecret:conflict'],
    [{ ...signedIn, ...newer, passwordHash: newHash }, 'skipped :unchanged passwordHash:conflict'],
    [
      { ...bare, ...newer, passwordHash: newHash, totpSecret, passkeys: [taken, portablePasskey()] },
      'updated passkeys.0.credentialId:passkey_taken',
    ],
    // Sending the line again adds the values that were omitted while the customer was incomplete.
    [{ ...foreign, passwordHash: oldHash }, 'updated'],
  ];
  const response = await update(
    lines.map(([line]) => line),
    { emitEvents: true },
  );
  expect(results(response)).toEqual(lines.map(([, result]) => result));
  expect(response.body.results[2].errors[0].message).not.toContain('already has the values of the line');
  const rows = await instance.sql(
    `SELECT (SELECT count(*)::int FROM totp_factors f WHERE f.customer_id = c.id) AS totp,
       (SELECT count(*)::int FROM passkeys k WHERE k.customer_id = c.id) AS passkeys,
       (SELECT string_agg(d.subject, ' ') FROM identities d WHERE d.customer_id = c.id) AS identities
     FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, position) JOIN customers c USING (id) ORDER BY position`,
    [ids],
  );
  expect(rows).toEqual([
    { totp: 1, passkeys: 1, identities: 'known' },
    { totp: 1, passkeys: 1, identities: 'other' },
    { totp: 0, passkeys: 0, identities: null },
    { totp: 1, passkeys: 1, identities: null },
    { totp: 0, passkeys: 0, identities: '1' },
  ]);
  const statuses = async (email: string) => [
    (await instance.login(email, PASSWORD)).status,
    (await instance.login(email, 'another long phrase')).status,
  ];
  expect(await statuses(known.email)).toEqual([401, 200]);
  expect(await statuses(signedIn.email)).toEqual([200, 401]);
  expect(await statuses(foreign.email)).toEqual([200, 401]);
  const list = async (id: string, path: string) =>
    (await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}/${path}`)).body;
  const {
    totp: [factor],
    passkeys: [added],
  } = await list(ids[3]!, 'factors');
  expect(await instance.events(ids[3]!)).toMatchObject([
    { type: 'password.changed' },
    { type: 'factor.added', data: { factor } },
    { type: 'passkey.added', data: { passkey: added } },
  ]);
  const {
    data: [linked],
  } = await list(ids[0]!, 'identities');
  expect((await instance.events(ids[0]!)).slice(0, 2)).toMatchObject([
    { type: 'password.changed' },
    { type: 'identity.linked', data: { identity: linked } },
  ]);
  expect((await audited(ids[3]!)).at(0)).toEqual([
    'customer.updated',
    { changed: ['passwordHash', 'totpSecret', 'passkeys'] },
  ]);
});

it('an import emits customer.created before the changes in later lines', async () => {
  const first = createImportLine({ firstName: 'Ada', updatedAt: day(1) });
  const second = { ...first, firstName: 'Grace', updatedAt: day(2) };
  const { body } = await update([first, second], { emitEvents: true });
  expect(body).toMatchObject({ created: 1, updated: 1 });
  const events = await instance.events(body.results[0].id);
  expect(events.map(({ type }) => type)).toEqual(['customer.created', 'customer.updated']);
});

it('an import applies lines without a time unless the customer was changed in Gatehouse', async () => {
  const [unchanged, changed] = [{ updatedAt: undefined }, { updatedAt: undefined }].map(createImportLine);
  const imported = await importLines(instance, toNdjson([unchanged!, changed!]));
  expect(imported.body.created).toBe(2);
  const { body } = await instance.requestWithSecretKey(
    'GET',
    `/api/v1/customers?externalId=${changed!.externalId}`,
  );
  await change(body.data[0].id, { lastName: 'Byron' });
  const lines = [unchanged, changed].map((line) => ({ ...line, firstName: 'Ada' }));
  const importId = randomUUID();
  const send = (query: Record<string, string> = { update: 'true' }) =>
    importLines(instance, toNdjson(lines), { importId, ...query });
  const dryRun = await send({ update: 'true', dryRun: 'true' });
  const response = await send();
  for (const each of [dryRun, response]) {
    expect(each.body).toMatchObject({ updated: 1, skipped: 1, unchanged: 0 });
    expect(each.body.failures.data.map(summarize)).toEqual(['skipped firstName:conflict']);
  }
  // An import resumes only with the options with which it began.
  expect(await send({})).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect((await send()).body).toEqual(response.body);
});
