import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCatalog, type ErrorCode } from '@gatehouse/domain';
import { codeBlocks } from '../support/code-blocks.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const DOCUMENT = 'docs/frontend.md';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

describe('the table of errors in docs/frontend.md', () => {
  const readRows = async (): Promise<{ status: number; code: string }[]> => {
    const text = await readFile(DOCUMENT, 'utf8');
    return [...text.matchAll(/^\| (\d{3}) +\| `(\w+)` +\|/gm)].map(([, status, code]) => ({
      status: Number(status),
      code: code!,
    }));
  };

  test('contains only codes from the catalog, each with its status', async () => {
    const found = await readRows();
    const catalog = found.map(({ code }) => ({ status: errorCatalog[code as ErrorCode]?.status, code }));
    expect(found).toEqual(catalog);
  });

  test('contains every code that is documented for the browser routes', async () => {
    const { body } = await instance.request('GET', '/openapi.json');
    const operations = Object.entries(body.paths as Record<string, object>)
      .filter(([path]) => /^\/api\/v1\/(auth|me)(\/|$)/.test(path))
      .flatMap(([, methods]) => Object.values(methods) as { responses: Record<string, any> }[]);
    expect(operations.length).toBeGreaterThan(10);
    const documented = operations
      .flatMap(({ responses }) => Object.values(responses))
      .map((response) =>
        response.$ref ? body.components.responses[response.$ref.split('/').at(-1)] : response,
      )
      .flatMap(({ content }) => content?.['application/problem+json']?.schema.properties.code.enum ?? []);
    expect(documented.length).toBeGreaterThan(100);
    // Errors that a page need not handle, because only a defective client or a client with a secret key receives them.
    const unhandledCodes = [
      'invalid_json',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'idempotency_in_progress',
      'idempotency_key_reused',
    ];
    const named = [...(await readRows()).map(({ code }) => code), ...unhandledCodes];
    expect([...new Set(documented)].filter((code) => !named.includes(code))).toEqual([]);
  });
});

it('the code in docs/frontend.md runs in Node.js, and lets the process exit', async () => {
  const email = uniqueEmail();
  await instance.register(email);
  const code = (await codeBlocks(DOCUMENT)).get('sign-in.mjs')!;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    env: {
      PATH: process.env['PATH'],
      GATEHOUSE_URL: instance.baseUrl,
      GATEHOUSE_PUBLISHABLE_KEY: instance.credentials.publishableKey,
      EMAIL: email,
      PASSWORD,
    },
  });
  expect(JSON.parse(stdout)).toMatchObject({ email });
});
