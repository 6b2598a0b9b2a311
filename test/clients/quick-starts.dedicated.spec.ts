import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DocumentFolder } from '../support/document-folder.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared()));
afterAll(async () => instance?.stop());

describe.each([
  ['express', 'app.mjs', []],
  ['fastify', 'app.mjs', []],
  ['nestjs', 'app.ts', ['compile']],
])('docs/quick-starts/%s.md', (name, file, preparations) => {
  let folder: DocumentFolder;
  let url: string;
  beforeAll(async () => {
    const port = String(await freePort());
    url = `http://127.0.0.1:${port}`;
    folder = await DocumentFolder.create(`docs/quick-starts/${name}.md`, { replace: { '4000': port } });
    await folder.write('../gatehouse/.data/credentials.json', JSON.stringify(instance.credentials));
  });
  afterAll(async () => folder?.close());

  it('protects the routes and receives a signed webhook about the deleted customer', async () => {
    await folder.runBlocks('settings', 'endpoint', ...preparations);
    const server = await folder.startBlock('run', url);

    const output = await folder.runBlocks('call', 'delete');
    const [orders, payment] = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(orders).toEqual({ customerId: expect.any(String), orders: [] });
    expect(payment).toMatchObject({ status: 403, code: 'reauthentication_required' });
    expect((await fetch(`${url}/orders`)).status).toBe(401);
    await eventually('the webhook', () =>
      server.output.includes(`delete the records of ${orders.customerId}`),
    );
    expect((await fetch(`${url}/hooks`, { method: 'POST', body: '{}' })).status).toBe(400);
  });

  it('installs each package that its file imports', async () => {
    const code = await readFile(join(folder.path, file), 'utf8');
    const imports = [...code.matchAll(/^import (?!type).*'([^']+)';$/gm)].map(([, specifier]) =>
      specifier!
        .split('/')
        .slice(0, specifier!.startsWith('@') ? 2 : 1)
        .join('/'),
    );
    const installed = (await folder.block('install')).split(/\s+/);
    expect(imports.length).toBeGreaterThan(1);
    expect(installed).toEqual(expect.arrayContaining(imports));
  });
});
