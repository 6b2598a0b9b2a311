import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseLines, runCli, type CliResult } from '../support/cli.js';
import { writeFiles } from '../support/moving-in.js';
import { insertOperator, type OperatorClient } from '../support/operator-client.js';
import { createSocialProject } from '../support/social-sign-in.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let operator: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  operator = await insertOperator(instance, 'operator');
});
afterAll(async () => instance?.stop());

async function importFile(
  projectId: string,
  content: string | Buffer,
  ...args: string[]
): Promise<CliResult> {
  const cwd = await writeFiles({});
  await writeFile(join(cwd, 'customers.csv'), content);
  const env = { GATEHOUSE_SECRET_KEY: instance.credentials.secretKey, GATEHOUSE_PROJECT_ID: projectId };
  return runCli(instance, ['--json', 'customers', 'import', 'customers.csv', ...args], { cwd, env });
}

const exportCustomers = async (projectId: string): Promise<string> =>
  (await operator.request('GET', `/customers/export?projectId=${projectId}`)).body as string;

/** Returns an export without its last two columns: the project, and the id, which is unique across the installation. */
const withoutIds = (csv: string): string => csv.replace(/,[^,]*,[^,]*(?=\r\n)/g, '');

it('a CSV export from the console is imported without changes to any customer data', async () => {
  const [from, to] = [await createSocialProject(instance), await createSocialProject(instance)];
  const customers = [
    {
      email: uniqueEmail(),
      firstName: '=1+1',
      lastName: 'Byron, "Ada" José',
      emailVerified: true,
      externalId: '-7',
      locale: 'de-AT',
      mfa: 'required',
      metadata: { plan: 'pro', note: 'a\nb; c' },
      publicMetadata: { color: "'green'" },
      createdAt: '2019-05-01T12:00:00.123Z',
      updatedAt: '2020-05-01T12:00:00.000Z',
      lastLoginAt: '2021-05-01T12:00:00.000Z',
      disabledAt: '2022-05-01T12:00:00.000Z',
    },
    { email: uniqueEmail(), createdAt: '2018-05-01T12:00:00.000Z' },
  ];
  const body = { projectId: from.id, customers };
  const created = await instance.requestWithSecretKey('POST', '/api/v1/customers/import', body);
  expect(created.body).toMatchObject({ created: 2 });
  const exported = await exportCustomers(from.id);
  const { code, stdout } = await importFile(to.id, exported);
  expect([code, parseLines(stdout)]).toMatchObject([0, [{ created: 2, failed: 0, reasons: [] }]]);
  expect(withoutIds(await exportCustomers(to.id))).toBe(withoutIds(exported));
});

it('a CSV import reports the line of an undecodable byte, and uses --encoding and --map', async () => {
  const { id } = await createSocialProject(instance);
  const email = uniqueEmail();
  const csv = `Mail;First;Plan;Internal\r\n${email};Jos\u00e9;\u20ac pro;x\r\n`;
  const content = Buffer.from(csv.replace('\u20ac', '\u0080'), 'latin1');
  const map = ['--map', 'Mail=email', '--map', 'First=firstName', '--map', 'Plan=metadata.plan'];
  const rejected = await importFile(id, content, ...map);
  expect(rejected).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/line 2 is not UTF-8.*--encoding/),
  });
  const unknown = await importFile(id, content, ...map, '--encoding', 'ebcdic');
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('windows-1252') });
  const read = await importFile(id, content, ...map, '--encoding', 'windows-1252');
  const reason = {
    result: 'left_out',
    field: 'Internal',
    count: 1,
    remedy: expect.stringContaining('--map'),
  };
  expect([read.code, parseLines(read.stdout)]).toMatchObject([1, [{ created: 1, reasons: [reason] }]]);
  const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers?projectId=${id}`);
  expect(body.data).toMatchObject([{ email, firstName: 'José', metadata: { plan: '€ pro' } }]);
  expect(read.stderr).not.toContain('is valid UTF-8');
  const ignored = await importFile(
    id,
    csv,
    ...map,
    '--map',
    'Internal=',
    '--encoding',
    'cp1252',
    '--dry-run',
  );
  expect(parseLines(ignored.stdout)).toMatchObject([{ skipped: 1, reasons: [{ result: 'skipped' }] }]);
  // The note does not change the exit code, and is printed once.
  expect(ignored.stderr.match(/customers\.csv is valid UTF-8, but is read as cp1252/g)).toHaveLength(1);
});
