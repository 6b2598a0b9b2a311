import { randomUUID } from 'node:crypto';
import { insertProvider } from '../support/identity-providers/insert-provider.js';
import { day, summarize, createImportLine } from '../support/import-updates.js';
import { importLines, toNdjson } from '../support/ndjson.js';
import { insertKey } from '../support/tenants.js';
import { TestInstance, bearerHeader, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const importList = (body: object, headers: Record<string, string> = {}): Promise<TestResponse> =>
  instance.request('POST', '/api/v1/customers/import', {
    body,
    headers: { ...bearerHeader(instance.credentials.secretKey), ...headers },
  });

/** Removes the fields that differ between a dry run and an import. */
const comparable = (body: Record<string, any>) => ({
  ...body,
  ...{ id: '', dryRun: null, createdAt: '', updatedAt: '', finishedAt: '' },
});

it('a dry run writes nothing and returns the results of an import, for JSON and NDJSON', async () => {
  const { slug } = await insertProvider(instance);
  const [taken, externalId] = [uniqueEmail(), randomUUID()];
  await importList({ customers: [{ email: taken, externalId }] });
  const email = uniqueEmail();
  const customers = [
    { email, password: PASSWORD, identities: [{ provider: slug, subject: randomUUID() }] },
    { email },
    { email: taken },
    { email: uniqueEmail(), externalId },
    { email: uniqueEmail(), identities: [{ provider: 'unknown', subject: '1' }] },
    { email: uniqueEmail(), password: 'short' },
    { email: uniqueEmail(), totpSecret: 'JBSWY3DPEHPK3PXP' },
    {},
  ];
  const counts = {
    state: 'completed',
    total: 8,
    created: 3,
    skipped: 2,
    failed: 3,
    incomplete: 1,
    lastLine: 8,
  };
  const tables = ['customers', 'totp_factors', 'identities', 'imports', 'import_failures'];
  const { projectId } = instance.credentials;
  const count = async () =>
    Promise.all(tables.map((table) => instance.sql(`SELECT count(*)::int FROM ${table}`)));
  const audited = () =>
    instance.sql(`SELECT 1 FROM audit_log WHERE action = 'import.started' AND project_id = $1`, [projectId]);
  const before = [await count(), await audited()];
  const list = await importList(
    { customers, dryRun: true, emitEvents: true },
    { 'idempotency-key': randomUUID() },
  );
  expect(list).toMatchObject({ status: 200, body: { ...counts, dryRun: true } });
  const lines = await importLines(instance, toNdjson(customers), { dryRun: 'true' });
  expect(lines).toMatchObject({ status: 200, body: { ...counts, dryRun: true } });
  expect([await count(), await audited()]).toEqual(before);
  expect((await instance.requestWithSecretKey('GET', `/api/v1/imports/${lines.body.id}`)).status).toBe(404);
  const withoutIds = (results: any[]) => results.map(({ id: _, ...result }) => result);
  const expectedList = await importList({ customers, dryRun: false });
  expect(expectedList.body.dryRun).toBe(false);
  expect(withoutIds(list.body.results)).toEqual(withoutIds(expectedList.body.results));
  expect(comparable({ ...list.body, results: [] })).toEqual(
    comparable({ ...expectedList.body, results: [] }),
  );
});

it('a dry run detects conflicts between lines in different batches, like an import', async () => {
  const { slug } = await insertProvider(instance);
  const domain = `${randomUUID()}.example`;
  const identity = (subject: string) => ({ identities: [{ provider: slug, subject }] });
  const unique = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => ({ email: `${name}-${index}@${domain}` }));
  const customers = [
    { email: `ada@${domain}`, externalId: domain, ...identity('1') },
    // This line creates no customer, so a later line can have its email and external id.
    { email: `eve@${domain}`, externalId: `${domain}-eve`, role: 'admin' },
    ...unique(600, 'a'),
    { email: `ADA@${domain}` },
    { email: `grace@${domain}`, externalId: domain },
    { email: `eve@${domain}`, externalId: `${domain}-eve` },
    { email: `joan@${domain}`, ...identity('1') },
    ...unique(600, 'a'),
  ];
  const dryRun = await importLines(instance, toNdjson(customers), { dryRun: 'true' });
  const imported = await importLines(instance, toNdjson(customers));
  expect(imported.body).toMatchObject({ created: 603, skipped: 601, failed: 2, incomplete: 1 });
  expect(comparable({ ...dryRun.body, failures: null })).toEqual(
    comparable({ ...imported.body, failures: null }),
  );
  const listFailures = ({ body }: TestResponse) =>
    (body.failures.data as any[])
      .slice(0, 50)
      .map(({ line, status, errors, warnings }) => [line, status, errors, warnings]);
  expect(listFailures(dryRun)).toEqual(listFailures(imported));
});

it('a dry run lists the first 1,000 lines of each kind, and requires the access for an import', async () => {
  const body = `${'{}\n'.repeat(1_010)}${toNdjson([{ email: uniqueEmail() }])}`;
  const { status, body: result } = await importLines(instance, body, { dryRun: 'true' });
  expect(status).toBe(200);
  expect(result).toMatchObject({ created: 1, failed: 1_010, failures: { hasMore: true, nextCursor: null } });
  expect(result.failures.data).toHaveLength(1_000);
  const reader = await insertKey(instance, {
    ...instance.credentials,
    type: 'secret',
    scopes: ['customer:read'],
  });
  expect((await importLines(instance, body, { dryRun: 'true' }, bearerHeader(reader))).status).toBe(403);
  expect((await importLines(instance, body, { dryRun: 'true', projectId: randomUUID() })).status).toBe(404);
  expect((await importLines(instance, body, { dryRun: 'yes' })).status).toBe(400);
});

it('a dry run marks updates that depend on an earlier line in another batch', async () => {
  const { slug } = await insertProvider(instance);
  const [first, second] = [createImportLine(), createImportLine()];
  await importList({ customers: [first, second] });
  const [newer, email, id] = [{ updatedAt: day(2) }, uniqueEmail(), randomUUID()];
  const identities = [{ provider: slug, subject: randomUUID() }];
  const [created, byId] = [createImportLine(), { ...createImportLine({ id }), externalId: undefined }];
  const lines: [object, dryRun: string, imported?: string][] = [
    [{ ...first, ...newer, email, identities }, ''],
    [created, ''],
    [byId, ''],
    ...Array.from({ length: 500 }, (): [object, string] => [{ email: uniqueEmail() }, '']),
    // The results of these lines depend on the values that the earlier lines store.
    [{ ...first, ...newer, email }, 'skipped :earlier_line', 'skipped :unchanged'],
    [{ ...created, ...newer, firstName: 'Ada' }, 'skipped :earlier_line', ''],
    [{ ...byId, firstName: 'Ada' }, 'skipped :earlier_line', ''],
    // These lines conflict with the earlier lines' values.
    [
      { ...second, ...newer, email, identities },
      'skipped :unchanged identities.0.subject:identity_already_linked email:email_already_registered',
    ],
    [{ email: created.email }, 'skipped email:email_already_registered'],
  ];
  const send = async (query: Record<string, string>) => {
    const { body } = await importLines(instance, toNdjson(lines.map(([line]) => line)), {
      update: 'true',
      ...query,
    });
    return (body.failures.data as any[]).map((each) => `${each.line} ${summarize(each)}`);
  };
  const expected = (column: 1 | 2) =>
    lines.flatMap((line, index) => {
      const result = line[column] ?? line[1];
      return result === '' ? [] : [`${index + 1} ${result}`];
    });
  expect(await send({ dryRun: 'true' })).toEqual(expected(1));
  expect(await send({})).toEqual(expected(2));
});
