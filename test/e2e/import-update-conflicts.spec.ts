import bcrypt from 'bcrypt';
import { requestReset, submitToken } from '../support/customers.js';
import { insertProvider } from '../support/identity-providers/insert-provider.js';
import { day, createImportLine, results } from '../support/import-updates.js';
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
const update = async (customers: object[]): Promise<string[]> =>
  results(await importList(customers, { update: true }));
const create = async (customers: object[]): Promise<string[]> =>
  (await importList(customers)).body.results.map(({ id }: any) => id);
const list = async (id: string, path: string): Promise<any> =>
  (await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}${path && `/${path}`}`)).body;
const remove = (id: string, path: string): Promise<TestResponse> =>
  instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/${path}/remove`, { reason: 'Lost' });
/** Returns a time in the future, and so later than all changes in Gatehouse. */
const soon = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

it('an update does not restore credentials that were removed in Gatehouse', async () => {
  const { slug: provider } = await insertProvider(instance);
  const credentials = [
    { identities: [{ provider, subject: uniqueEmail() }] },
    { totpSecret: randomTotpSecret() },
    { passkeys: [portablePasskey()] },
  ];
  const people = credentials.map(createImportLine);
  const ids = await create(people);
  const before = await Promise.all(ids.map((id) => list(id, '')));
  const identity = (await list(ids[0]!, 'identities')).data[0];
  await remove(ids[0]!, `identities/${identity.id}`);
  await remove(ids[1]!, `factors/${(await list(ids[1]!, 'factors')).totp[0].id}`);
  await remove(ids[2]!, `factors/${(await list(ids[2]!, 'factors')).passkeys[0].id}`);
  // The responses do not reveal that the removals were recorded.
  expect(await Promise.all(ids.map((id) => list(id, '')))).toEqual(before);
  const fields = ['identities.0', 'totpSecret', 'passkeys.0'];
  const conflicts = (text: string) => fields.map((field) => `${text} ${field}:conflict`);
  for (const updatedAt of [day(1), undefined])
    expect(await update(people.map((line) => ({ ...line, updatedAt })))).toEqual(conflicts('skipped'));
  const newer = (seconds: number, more: object = {}) =>
    people.map((line) => ({ ...line, updatedAt: soon(seconds), ...more }));
  expect(await update(newer(10))).toEqual(conflicts('skipped :unchanged'));
  expect(await update(newer(20, { firstName: 'Ada' }))).toEqual(conflicts('updated firstName:replaced'));
  // Applying a line must not resolve the conflicts.
  expect(await update(newer(30, { firstName: 'Ada' }))).toEqual(conflicts('skipped :unchanged'));
  for (const id of ids) {
    expect((await list(id, 'identities')).data).toEqual([]);
    expect(await list(id, 'factors')).toMatchObject({ totp: [], passkeys: [] });
  }
});

it('an update cannot add credentials or change the address once its owner has claimed it', async () => {
  const { slug: provider } = await insertProvider(instance);
  const line = createImportLine({
    ...{ emailVerified: false, passwordHash: bcrypt.hashSync('of another person', 4) },
    ...{ totpSecret: randomTotpSecret(), identities: [{ provider, subject: uniqueEmail() }] },
    passkeys: [portablePasskey()],
  });
  const [id] = await create([line]);
  const reset = await submitToken(
    instance,
    'reset-password',
    await requestReset(instance, line.email),
    PASSWORD,
  );
  expect(reset.status).toBe(204);
  const credentials = 'passwordHash:conflict totpSecret:conflict passkeys.0:conflict identities.0:conflict';
  const moved = { email: uniqueEmail(), emailVerified: true };
  expect(await update([{ ...line, updatedAt: soon(10) }])).toEqual([`skipped :unchanged ${credentials}`]);
  expect(await update([{ ...line, ...moved, updatedAt: soon(20), firstName: 'Ada' }])).toEqual([
    `updated email:conflict firstName:replaced ${credentials}`,
  ]);
  expect(await list(id!, '')).toMatchObject({ email: line.email, emailVerified: true, firstName: 'Ada' });
  expect((await list(id!, 'identities')).data).toEqual([]);
  expect(await list(id!, 'factors')).toMatchObject({ totp: [], passkeys: [] });
  expect((await instance.login(line.email)).body).toMatchObject({ challenge: null });
});

it('an update applies lines with an equal time, and reports bans and credentials in older ones', async () => {
  const [same, repeated, older, renamed] = [
    createImportLine(),
    createImportLine({ passwordHash: bcrypt.hashSync(PASSWORD, 4), totpSecret: randomTotpSecret() }),
    createImportLine({ updatedAt: day(2) }),
    createImportLine({ updatedAt: day(2) }),
  ];
  const [sameId, , olderId] = await create([same, repeated, older, renamed]);
  const access = { disabledAt: day(1), mfa: 'required', totpSecret: randomTotpSecret() };
  // Signing in replaces the imported hash.
  await instance.login(repeated.email);
  expect(
    await update([
      { ...same, ...access },
      repeated,
      { ...older, ...access, updatedAt: day(1) },
      { ...renamed, updatedAt: day(1), firstName: 'Ada' },
    ]),
  ).toEqual([
    'updated',
    'skipped :unchanged',
    'skipped mfa:conflict disabledAt:conflict totpSecret:conflict',
    'skipped updatedAt:not_newer',
  ]);
  expect(await list(sameId!, '')).toMatchObject({ disabledAt: day(1), mfa: 'required', updatedAt: day(1) });
  expect((await list(sameId!, 'factors')).totp).toHaveLength(1);
  expect(await list(olderId!, '')).toMatchObject({ disabledAt: null, updatedAt: day(2) });
});

it('an update stores the time of an unchanged line, so that an older line is skipped later', async () => {
  const line = createImportLine({ disabledAt: day(1) });
  const [id] = await create([line]);
  expect(await update([{ ...line, updatedAt: day(3) }])).toEqual(['skipped :unchanged']);
  expect(await list(id!, '')).toMatchObject({ updatedAt: day(3) });
  expect(await update([{ ...line, updatedAt: day(2), disabledAt: null }])).toEqual([
    'skipped disabledAt:conflict',
  ]);
  expect(await list(id!, '')).toMatchObject({ disabledAt: day(1) });
});
