import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { importLines, toNdjson } from '../support/ndjson.js';
import { MovingOut } from '../support/moving-out.js';
import { insertProject } from '../support/tenants.js';
import { bearerHeader, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let moving: MovingOut;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  moving = await MovingOut.start(instance);
});
afterAll(async () => {
  await moving?.folder.close();
  await instance?.stop();
});

it('PW-06: the documented Node.js programs verify exported hashes', () =>
  moving.expectVerifies('verify-node'));

it('PW-06: docs/moving-out.md states the pepper and the bcrypt input of its example', async () => {
  const text = await readFile('docs/moving-out.md', 'utf8');
  const [, secret, peppers] = /root secret `(\S+)`, the output is\n\n```json\n(.+)\n```/.exec(text)!;
  const printed = await moving.folder.run(`GATEHOUSE_SECRET='  ${secret} ' node peppers.mjs`);
  expect(JSON.parse(printed)).toEqual(JSON.parse(peppers!));
  const [, password, input] = /the password `(.+)` is `(.+)`/.exec(text)!;
  const [pepper] = Object.values(JSON.parse(peppers!) as Record<string, string>);
  const mac = createHmac('sha384', Buffer.from(pepper!, 'base64')).update(password!);
  expect(mac.digest('base64')).toBe(input);
});

it('PW-06: a project with portable hashes stores $2b$, and rejects passwords over 72 bytes', async () => {
  const { projectId, secretKey } = await insertProject(instance, instance.credentials.organizationId);
  await instance.sql(`UPDATE projects SET settings = '{"passwordHashing": "portable"}' WHERE id = $1`, [
    projectId,
  ]);
  const lines = [72, 73].map((length) => ({ email: uniqueEmail(), password: 'x'.repeat(length) }));
  for (const dryRun of ['true', 'false']) {
    const { body } = await importLines(instance, toNdjson(lines), { dryRun }, bearerHeader(secretKey));
    expect(body).toMatchObject({
      created: 1,
      failures: { data: [{ line: 2, errors: [{ field: 'password', code: 'too_many_bytes' }] }] },
    });
  }
  const stored = await instance.sql('SELECT password_hash FROM customers WHERE project_id = $1', [projectId]);
  expect(stored).toEqual([{ password_hash: expect.stringMatching(/^\$2b\$04\$/) }]);
});
