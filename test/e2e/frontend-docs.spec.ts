import { readFile } from 'node:fs/promises';
import { errorCatalogue, type ErrorCode } from '#domain';
import { TestInstance } from '../support/test-instance.js';

const DOCUMENT = 'docs/frontend.md';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

describe('the table of errors in docs/frontend.md', () => {
  const rows = async (): Promise<{ status: number; code: string }[]> => {
    const text = await readFile(DOCUMENT, 'utf8');
    return [...text.matchAll(/^\| (\d{3}) +\| `(\w+)` +\|/gm)].map(([, status, code]) => ({
      status: Number(status),
      code: code!,
    }));
  };

  test('names codes of the catalogue with their status', async () => {
    const found = await rows();
    const catalogue = found.map(({ code }) => ({ status: errorCatalogue[code as ErrorCode]?.status, code }));
    expect(found).toEqual(catalogue);
  });

  test('names every code that the routes for pages document', async () => {
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
    // What only a faulty program gets, or one with a secret key, is nothing for a page to react to.
    const ofPrograms = [
      'invalid_json',
      'request_timeout',
      'payload_too_large',
      'unsupported_media_type',
      'idempotency_in_progress',
      'idempotency_key_reused',
    ];
    const named = [...(await rows()).map(({ code }) => code), ...ofPrograms];
    expect([...new Set(documented)].filter((code) => !named.includes(code))).toEqual([]);
  });
});
