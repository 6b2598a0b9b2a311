import { DocumentFolder } from './document-folder.js';
import { parseNdjson } from './ndjson.js';
import { insertProject } from './tenants.js';
import { bearerHeader, type TestInstance } from './test-instance.js';
import { uniqueEmail } from './unique-email.js';

/** A 78-byte password, in a Unicode form that Gatehouse normalizes before it hashes. */
const LONG = `Cafe\u0301 au lait ${'x'.repeat(64)}`;
/** A 72-byte password, bcrypt's maximum. */
const LONGEST_PORTABLE = LONG.normalize('NFC').slice(0, 71);

/** The programs from docs/moving-out.md, with hashes from an export. */
export class MovingOut {
  private constructor(
    readonly folder: DocumentFolder,
    private readonly hashes: { peppered: string; portable: string },
  ) {}

  /** Creates a project, and exports its customers' hashes. */
  static async start(instance: TestInstance, env: Record<string, string> = {}): Promise<MovingOut> {
    const { organizationId, secretKey: organizationKey } = instance.credentials;
    const { projectId, secretKey } = await insertProject(instance, organizationId);
    const folder = await DocumentFolder.create('docs/moving-out.md', {
      env: {
        ...env,
        GATEHOUSE_SECRET: instance.env['GATEHOUSE_SECRET']!,
        GATEHOUSE_URL: instance.baseUrl,
        GATEHOUSE_ORGANIZATION_KEY: organizationKey,
        PROJECT_ID: projectId,
      },
    });
    const create = async (password: string): Promise<void> => {
      const response = await instance.request('POST', '/api/v1/customers', {
        body: { email: uniqueEmail(), password },
        headers: bearerHeader(secretKey),
      });
      if (response.status !== 201) throw new Error(JSON.stringify(response.body));
    };
    await create(LONG);
    await folder.runBlocks('portable');
    await create(LONGEST_PORTABLE);
    const exported = await instance.requestWithBearer(
      organizationKey,
      'GET',
      `/api/v1/projects/${projectId}/export?hashes=true`,
    );
    const [peppered, portable] = parseNdjson(exported.body as string).map((line) => line['passwordHash']);
    return new MovingOut(folder, { peppered, portable });
  }

  /** Expects a program to accept the passwords of both hashes in both Unicode forms, and to reject others. */
  async expectVerifies(block: string): Promise<void> {
    const { peppered, portable } = this.hashes;
    expect([peppered, portable]).toEqual([
      expect.stringMatching(/^v1\$[0-9a-f]{8}\$2b\$/),
      expect.stringMatching(/^\$2b\$/),
    ]);
    const cases: [string, string, boolean][] = [
      [peppered, LONG, true],
      [peppered, LONG.normalize('NFC'), true],
      [peppered, LONG.slice(0, -1), false],
      [portable, LONGEST_PORTABLE, true],
      [portable, LONGEST_PORTABLE.normalize('NFD'), true],
      [portable, LONGEST_PORTABLE.slice(0, -1), false],
      [portable, `${LONGEST_PORTABLE}x`, false],
    ];
    const program = await this.folder.block(block);
    const runs = cases.map(([hash, password]) => `HASH='${hash}'; PASSWORD='${password}'\n${program}`);
    const output = await this.folder.run([await this.folder.block('peppers'), ...runs].join('\n'));
    expect(output.trim().split('\n')).toEqual(cases.map(([, , matches]) => String(matches)));
  }
}
