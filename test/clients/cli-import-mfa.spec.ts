import { runCli, parseLines, type CliResult } from '../support/cli.js';
import { expectStatus } from '../support/customers.js';
import { writeFiles } from '../support/moving-in.js';
import { toNdjson } from '../support/ndjson.js';
import {
  requestAsPage,
  changeSettings,
  createSocialProject,
  type SocialProject,
} from '../support/social-sign-in.js';
import { insertKey } from '../support/tenants.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { randomTotpSecret } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(() => instance?.stop());

describe('an import of authenticator apps into a project with mfa "off"', () => {
  let project: SocialProject;
  let folder: string;
  const emails = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
  beforeAll(async () => {
    project = await createSocialProject(instance);
    const [first, second, third] = emails;
    folder = await writeFiles({
      'customers.ndjson': toNdjson([
        { email: first, totpSecret: randomTotpSecret(), password: PASSWORD },
        // A customer's setting takes precedence over the project's.
        { email: second, totpSecret: randomTotpSecret(), mfa: 'required' },
        { email: third },
      ]),
    });
  });

  const importCustomers = (args: string[], key = instance.credentials.secretKey): Promise<CliResult> =>
    runCli(instance, ['--json', 'customers', 'import', 'customers.ndjson', ...args], {
      cwd: folder,
      env: { GATEHOUSE_SECRET_KEY: key, GATEHOUSE_PROJECT_ID: project.id },
    });
  const createKey = (...scopes: string[]): Promise<string> =>
    insertKey(instance, {
      ...{ organizationId: instance.credentials.organizationId, projectId: project.id },
      ...{ type: 'secret', access: 'organization', scopes },
    });
  const readMfa = async (): Promise<string> => {
    const response = await instance.requestWithSecretKey('GET', `/api/v1/projects/${project.id}`);
    return expectStatus(200, response).body.settings.mfa;
  };

  it('prints a note before it starts', async () => {
    const { code, stderr, stdout } = await importCustomers(['--dry-run']);
    expect([code, stderr, parseLines(stdout)]).toEqual([
      1,
      expect.stringContaining('The project has mfa "off"'),
      [
        expect.objectContaining({
          ...{ created: 3, unusedApps: 1 },
          reasons: [expect.objectContaining({ field: 'totpSecret', count: 1 })],
        }),
      ],
    ]);
  });

  it('reports the apps as possibly unused if the key cannot read the project', async () => {
    const key = await createKey('customer:write');
    const { code, stderr, stdout } = await importCustomers(['--dry-run'], key);
    expect([code, stderr, parseLines(stdout)]).toMatchObject([
      1,
      expect.stringContaining('it is not known whether the project requires second factors'),
      [{ unusedApps: 1 }],
    ]);
    expect(await importCustomers(['--set-mfa', 'optional'], key)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--set-mfa requires a key with the scopes project:read'),
    });
  });

  it('fails before it starts if --set-mfa is used and the key cannot change the project', async () => {
    const key = await createKey('customer:write', 'project:read');
    expect(await importCustomers(['--set-mfa', 'optional'], key)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('project:write'),
    });
    const query = `projectId=${project.id}`;
    const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers?${query}`);
    expect([body.data, await readMfa()]).toEqual([[], 'off']);
  });

  it('does not apply --set-mfa if the files cannot be read', async () => {
    const cwd = await writeFiles({ 'realm.json': '{"users":[{"email":"ada@example.com"' });
    const args = ['customers', 'import', '--from', 'keycloak', 'realm.json', '--set-mfa', 'required'];
    const env = {
      GATEHOUSE_SECRET_KEY: instance.credentials.secretKey,
      GATEHOUSE_PROJECT_ID: project.id,
    };
    expect(await runCli(instance, args, { cwd, env })).toMatchObject({ code: 1 });
    expect(await readMfa()).toBe('off');
  });

  it('changes the project with --set-mfa, and only announces the change in a dry run', async () => {
    const set = ['--set-mfa', 'optional'];
    expect(await importCustomers([...set, '--dry-run'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'The import would change the project setting mfa from "off" to "optional"',
      ),
    });
    expect(await readMfa()).toBe('off');
    const { code, stderr, stdout } = await importCustomers(set);
    expect([code, stderr, parseLines(stdout)]).toMatchObject([
      0,
      expect.stringContaining('Changed the project setting mfa from "off" to "optional"'),
      [{ created: 3, unusedApps: 0, reasons: [] }],
    ]);
    expect(await readMfa()).toBe('optional');
    const response = await requestAsPage(instance, project, 'login', {
      email: emails[0],
      password: PASSWORD,
    });
    expect(response.body.challenge).toMatchObject({ kind: 'second_factor' });
  });

  it('does not apply --set-mfa if the project is already stricter', async () => {
    await changeSettings(instance, project, { mfa: 'required' });
    expect(await importCustomers(['--set-mfa', 'optional', '--dry-run'])).toMatchObject({
      code: 1,
      stderr: '',
    });
    expect(await readMfa()).toBe('required');
  });
});
