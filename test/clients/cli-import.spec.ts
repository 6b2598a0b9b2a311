import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import bcrypt from 'bcrypt';
import { parseLines, runCli, startCli } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { LimitedProxy } from '../support/limited-proxy.js';
import {
  createMovingCustomer,
  createTargetProject,
  signInEverywhere,
  toCsv,
  writeFiles,
  type MovingCustomer,
} from '../support/moving-in.js';
import { parseNdjson, toNdjson } from '../support/ndjson.js';
import type { SocialProject } from '../support/social-sign-in.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let standIn: StandInProvider;
let project: SocialProject;
beforeAll(async () => {
  [instance, standIn] = await Promise.all([
    TestInstance.startShared({ workers: 0 }),
    StandInProvider.start(),
  ]);
  project = await createTargetProject(instance, standIn);
});
afterAll(() => Promise.all([instance?.stop(), standIn?.stop()]));

/** The settings of a command that uses the organization's key for the test project. */
const env = () => ({
  GATEHOUSE_SECRET_KEY: instance.credentials.secretKey,
  GATEHOUSE_PROJECT_ID: project.id,
});
const importFiles = (folder: string, ...args: string[]) =>
  runCli(instance, ['--json', 'customers', 'import', ...args], { cwd: folder, env: env() });
const countCustomers = async (domain: string): Promise<number> =>
  (await instance.sql('SELECT 1 FROM customers WHERE email LIKE $1', [`%@${domain}`])).length;
const getCustomer = async (email: string): Promise<Record<string, any>> => {
  const { body } = await instance.requestWithSecretKey(
    'GET',
    `/api/v1/customers?projectId=${project.id}&email=${encodeURIComponent(email)}`,
  );
  return body.data[0];
};
const hash = ({ password }: MovingCustomer): string => bcrypt.hashSync(password, 4);

/** Each system's files with one customer, in the format that its documentation describes. */
const systems: Record<string, (customer: MovingCustomer, id: string) => Record<string, string>> = {
  auth0: (customer, id) => {
    const oid = randomBytes(12).toString('hex');
    return {
      'users.json': toNdjson([
        {
          user_id: `auth0|${oid}`,
          email: customer.email,
          email_verified: true,
          blocked: false,
          given_name: 'Ada',
          family_name: 'Lovelace',
          identities: [
            {
              provider: 'auth0',
              user_id: oid,
              connection: 'Username-Password-Authentication',
              isSocial: false,
            },
            {
              provider: 'google-oauth2',
              user_id: customer.subject,
              connection: 'google-oauth2',
              isSocial: true,
            },
          ],
          app_metadata: { plan: 'pro', legacyId: id },
          user_metadata: { color: 'green' },
          multifactor: [],
          mfa_factors: [{ totp: { secret: customer.totpSecret } }],
          created_at: '2021-03-04T05:06:07.000Z',
        },
      ]),
      'passwords.json': toNdjson([
        {
          _id: { $oid: oid },
          email: customer.email,
          email_verified: true,
          passwordHash: hash(customer),
          connection: 'Username-Password-Authentication',
        },
      ]),
    };
  },
  supabase: (customer, id) => ({
    'users.csv': toCsv([
      {
        id,
        email: customer.email,
        encrypted_password: hash(customer),
        email_confirmed_at: '2021-03-04 05:06:07.123456+00',
        raw_app_meta_data: JSON.stringify({
          provider: 'email',
          providers: ['email'],
          plan: 'pro',
          legacyId: id,
        }),
        raw_user_meta_data: JSON.stringify({ sub: id, full_name: 'Ada Lovelace', color: 'green' }),
        created_at: '2021-03-04 05:06:07+00',
        banned_until: null,
        is_sso_user: 'f',
        deleted_at: null,
        is_anonymous: 'f',
        role: 'authenticated',
        is_super_admin: null,
      },
    ]),
    'identities.csv': toCsv([
      { provider_id: id, user_id: id, provider: 'email' },
      { provider_id: customer.subject, user_id: id, provider: 'google' },
    ]),
    'factors.csv': toCsv([
      { user_id: id, factor_type: 'totp', status: 'unverified', secret: 'JBSWY3DPEHPK3PXP' },
      { user_id: id, factor_type: 'totp', status: 'verified', secret: customer.totpSecret },
    ]),
  }),
};

it.each(Object.keys(systems))(
  'an import preserves the password, authenticator app and provider of a customer from %s',
  async (system) => {
    const [customer, id] = [createMovingCustomer(), randomUUID()];
    const files = systems[system]!(customer, id);
    const folder = await writeFiles(files);
    const { code, stdout, stderr } = await importFiles(folder, '--from', system, ...Object.keys(files));
    expect([code, stderr, parseLines(stdout)]).toMatchObject([
      0,
      '',
      [{ created: 1, failed: 0, reasons: [] }],
    ]);
    const imported = await getCustomer(customer.email);
    expect(imported).toMatchObject({
      ...{ firstName: 'Ada', lastName: 'Lovelace', emailVerified: true },
      metadata: { plan: 'pro', legacyId: id },
      publicMetadata: expect.objectContaining({ color: 'green' }),
      createdAt: '2021-03-04T05:06:07.000Z',
    });
    if (system === 'supabase') expect(imported).toMatchObject({ id, externalId: id });
    expect(await signInEverywhere(instance, project, standIn, customer)).toEqual({
      withPassword: imported['id'],
      withProvider: imported['id'],
    });
  },
);

it('an import reports omitted, skipped and failed values; a dry run does not write anything', async () => {
  const [email, taken] = [uniqueEmail(), uniqueEmail()];
  const user = (more: object) => ({
    user_id: `email|${randomUUID()}`,
    email_verified: true,
    blocked: false,
    identities: [],
    ...{ multifactor: [], app_metadata: {}, user_metadata: {} },
    ...more,
  });
  const folder = await writeFiles({
    'taken.ndjson': toNdjson([{ email: taken }]),
    'users.json': toNdjson([
      user({ email, username: 'ada', identities: [{ provider: 'twitter', user_id: '1' }] }),
      user({ email: taken.toUpperCase(), identities: [{ provider: 'github', user_id: '2' }] }),
      user({ email: 'invalid' }),
      user({ phone_number: '+1555' }),
    ]),
  });
  await importFiles(folder, 'taken.ndjson');
  const args = ['--from', 'auth0', 'users.json', '--report'];
  const counts = { created: 1, skipped: 1, failed: 1, notSent: 1, withoutEmail: 1 };
  const dryRun = await importFiles(folder, ...args, 'dry.csv', '--dry-run');
  expect([dryRun.code, parseLines(dryRun.stdout)]).toMatchObject([
    1,
    [{ dryRun: true, importId: null, ...counts }],
  ]);
  expect(await getCustomer(email)).toBeUndefined();
  const { code, stdout } = await importFiles(folder, ...args, 'report.ndjson');
  expect([code, parseLines(stdout)]).toMatchObject([1, [{ dryRun: false, ...counts }]]);
  const entries = parseNdjson(await readFile(join(folder, 'report.ndjson'), 'utf8'));
  for (const entry of entries)
    expect(entry).toMatchObject({ remedy: expect.stringMatching(/^[A-Z].*[^.]$/) });
  expect(entries.map(({ result, position, field }) => [result, position, field])).toEqual([
    ['left_out', 'users.json:1', 'username'],
    ['left_out', 'users.json:1', 'identity twitter'],
    ['left_out', 'users.json:2', 'identity github'],
    ['not_sent', 'users.json:4', 'email'],
    ['not_sent', 'users.json:4', 'phone_number'],
    ['skipped', 'users.json:2', 'email'],
    ['failed', 'users.json:3', 'email'],
  ]);
  const lines = (await readFile(join(folder, 'dry.csv'), 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(entries.length + 1);
  expect(await getCustomer(email)).toMatchObject({
    externalId: expect.stringMatching(/^email\|/),
  });
  // The import is complete, so the same command prints its report again, here as text.
  const again = await runCli(instance, ['customers', 'import', ...args, 'report.ndjson'], {
    cwd: folder,
    env: env(),
  });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('These files were imported at') });
  expect(again.stdout).toMatch(/^Created: +1$/m);
  expect(again.stdout).toMatch(/^Not sent, because there is no email: +1$/m);
  expect(again.stderr.match(/No file is a password export/g)).toHaveLength(1);
  expect(again.stdout).toMatch(
    /^left out +1 +identity twitter +The provider does not support OpenID Connect, .+ +Ask the customer to sign in by email once .+$/m,
  );
});

it.each([
  ['a record is invalid', [], 'customers.ndjson', '{"email":'],
  [
    'a field of a customer is omitted',
    ['--from', 'auth0'],
    'users.json',
    JSON.stringify({ user_id: 'email|1', email: uniqueEmail(), username: 'ada' }),
  ],
])('an import fails with exit code 1 if %s, even in a dry run', async (_, args, name, content) => {
  const folder = await writeFiles({ [name]: content });
  for (const dryRun of [['--dry-run'], []])
    expect((await importFiles(folder, ...args, name, ...dryRun)).code).toBe(1);
});

it('a dry run and an import report omitted values and how to fix them', async () => {
  const lines = [
    { email: uniqueEmail(), passwordHash: 'md5:1234', firstName: 'Ada' },
    { email: uniqueEmail(), identities: [{ provider: 'unknown', subject: '1' }] },
    { email: uniqueEmail(), metadata: { plan: 'pro', big: 'x'.repeat(9_000) } },
  ];
  const folder = await writeFiles({ 'customers.ndjson': toNdjson(lines) });
  const counts = { created: 3, updated: 0, skipped: 0, failed: 0, notSent: 0, incomplete: 2 };
  for (const args of [['--dry-run'], []]) {
    const { code, stdout } = await importFiles(
      folder,
      'customers.ndjson',
      '--report',
      'report.ndjson',
      ...args,
    );
    expect([code, parseLines(stdout)]).toMatchObject([1, [counts]]);
    const entries = parseNdjson(await readFile(join(folder, 'report.ndjson'), 'utf8'));
    expect(entries).toMatchObject([
      { result: 'left_out', position: 'customers.ndjson:3', field: 'metadata.big' },
      {
        ...{ result: 'left_out', position: 'customers.ndjson:1', field: 'passwordHash' },
        remedy: expect.stringMatching(/^Ask the customer to reset the password, or .*[^.]$/),
      },
      {
        ...{ result: 'left_out', position: 'customers.ndjson:2', field: 'identities.0.provider' },
        reason: 'identities.0.provider is not the slug of an identity provider of this project',
        remedy: 'Create the identity provider and import the customer again with update',
      },
    ]);
  }
  expect(await getCustomer(lines[0]!.email)).toMatchObject({ firstName: 'Ada' });
  expect(await getCustomer(lines[2]!.email)).toMatchObject({ metadata: { plan: 'pro' } });
});

it('an import updates existing customers only with --update, and otherwise reports them', async () => {
  const user = (more: object = {}) => ({
    ...{ user_id: `email|${randomUUID()}`, email: uniqueEmail(), identities: [], blocked: false },
    ...{ email_verified: false, multifactor: [], app_metadata: {}, user_metadata: {} },
    ...{ updated_at: '2026-01-01T00:00:00Z', ...more },
  });
  const [banned, unbanned, same] = [user(), user({ blocked: true }), user()];
  const newer = { updated_at: '2026-01-02T00:00:00Z' };
  const folder = await writeFiles({
    'old.json': toNdjson([banned, unbanned, same]),
    'new.json': toNdjson([
      { ...banned, ...newer, blocked: true },
      { ...unbanned, ...newer, blocked: false, given_name: 'Ada' },
      same,
      user(),
    ]),
  });
  const system = ['--from', 'auth0', '--external-id-prefix', 'shop-'];
  const send = async (...args: string[]) => {
    const { code, stdout, stderr } = await importFiles(folder, ...system, ...args);
    return { code, stderr, ...parseLines(stdout)[0] };
  };
  expect(await send('old.json')).toMatchObject({ code: 0, created: 3 });
  const updated = { code: 0, created: 1, updated: 2, skipped: 1, unchanged: 1, reasons: [] };
  expect(await send('new.json', '--update', '--dry-run')).toMatchObject({ ...updated, dryRun: true });
  expect(await send('new.json', '--update')).toMatchObject(updated);
  expect(await getCustomer(banned.email)).toMatchObject({
    externalId: `shop-${banned.user_id}`,
    disabledAt: '2026-01-02T00:00:00.000Z',
  });
  expect(await getCustomer(unbanned.email)).toMatchObject({ disabledAt: null, firstName: 'Ada' });
  const importId = randomUUID();
  const skipped = await runCli(
    instance,
    ['customers', 'import', ...system, 'new.json', '--import-id', importId],
    { cwd: folder, env: env() },
  );
  expect([skipped.code, skipped.stderr]).toEqual([
    1,
    expect.stringContaining('To update them, pass --update.'),
  ]);
  // An import id accepts only the files with which it was first used.
  expect(await send('new.json', '--import-id', importId)).toMatchObject({ code: 1, skipped: 4 });
  for (const other of ['old.json', 'changed.json']) {
    if (other === 'changed.json')
      await writeFile(join(folder, other), toNdjson([banned, unbanned, same, user()]));
    expect(await send(other, '--import-id', importId)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was created from different files|started with different lines/),
    });
  }
});

describe('an interrupted import', () => {
  let proxy: LimitedProxy;
  beforeAll(async () => (proxy = await LimitedProxy.start(instance.baseUrl)));
  afterAll(async () => proxy?.stop());

  const COUNT = 1_200;
  /** Starts an import whose connection stops after about half of the lines, and waits until a batch is committed. */
  async function startImport(domain: string, folder?: string) {
    const lines = Array.from({ length: COUNT }, (_, index) => ({ email: `person-${index}@${domain}` }));
    const cwd = folder ?? (await writeFiles({ 'customers.ndjson': toNdjson(lines) }));
    proxy.limit = toNdjson(lines.slice(0, 600)).length;
    const options = {
      cwd,
      env: { ...env(), GATEHOUSE_URL: proxy.url },
      wait: async () => undefined,
      columns: 100,
    };
    const cli = await startCli(instance, ['--json', 'customers', 'import', 'customers.ndjson'], options);
    await eventually('a batch', async () => (await countCustomers(domain)) === 500);
    return { cli, cwd, options };
  }

  it('resumes automatically when the connection breaks, without creating a customer twice', async () => {
    const domain = `${randomUUID()}.example`;
    const { cli } = await startImport(domain);
    proxy.cut();
    expect([await cli.exit, parseLines(cli.stdout)]).toMatchObject([
      0,
      [{ created: COUNT, skipped: 0, failed: 0 }],
    ]);
    expect(cli.stderr).toContain('The connection ended after line 500');
    expect(await countCustomers(domain)).toBe(COUNT);
  });

  it('stops on Ctrl-C, and the same command resumes it', async () => {
    const domain = `${randomUUID()}.example`;
    const { cli, options } = await startImport(domain);
    await cli.waitFor('500 customers processed, 0 failed', 'stderr');
    expect(await cli.interrupt()).toBe(130);
    expect(cli.stderr).toContain('Interrupted after line 500. Run the same command again to continue.');
    proxy.cut();
    const { code, stdout } = await runCli(
      instance,
      ['--json', 'customers', 'import', 'customers.ndjson'],
      options,
    );
    expect([code, parseLines(stdout)]).toMatchObject([0, [{ created: COUNT, skipped: 0 }]]);
    expect(await countCustomers(domain)).toBe(COUNT);
  });
});

it('an import fails with exit code 2 if its files or options cannot be used', async () => {
  const folder = await writeFiles({ 'other.csv': 'a,b\n1,2\n', 'other.json': '{"a":1}\n' });
  for (const [args, message] of [
    [['missing.csv'], 'does not exist'],
    [['/dev/null'], 'is not a regular file'],
    [['other.csv', '--report', './other.csv'], 'The report would replace'],
    [['--from', 'supabase', 'other.csv'], 'is none of the tables'],
    [['--from', 'auth0', 'other.json'], 'neither a user export nor a password export'],
    [['--from', 'unknown', 'other.json'], 'Allowed choices are'],
    [['--provider', 'a=unknown', 'other.json'], 'no identity provider with the slug unknown'],
    [['--from', 'auth0', '--provider', 'waad=google', 'other.json'], 'Identities of waad cannot be imported'],
  ] as const) {
    const { code, stderr } = await importFiles(folder, ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});
