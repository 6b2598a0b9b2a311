import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const files: [string, string][] = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/errors', 'text/html; charset=utf-8'],
  ['/docs/reference.css', 'text/css; charset=utf-8'],
  ['/docs/reference.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/operator/openapi.json', 'application/json; charset=utf-8'],
];

describe('the reference', () => {
  it('HD-01: serves each file with a CSP that allows no inline or external sources', async () => {
    const problems: unknown[] = [];
    for (const [path, type] of files) {
      const { status, headers } = await instance.request('GET', path);
      const policy = headers.get('content-security-policy')!;
      const found = [status, headers.get('content-type'), headers.get('x-content-type-options')];
      const isStrict =
        policy.includes("default-src 'none'") &&
        policy.includes("frame-ancestors 'none'") &&
        !/unsafe|\*|http/.test(policy);
      if (!isStrict || found.join() !== [200, type, 'nosniff'].join()) problems.push({ path, found, policy });
    }
    expect(problems).toEqual([]);
    const { headers } = await instance.request('GET', '/docs/errors');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  it('has a link on /, which returns a page to browsers and JSON to other clients', async () => {
    const { body } = await instance.request('GET', '/');
    expect(body).toEqual({
      name: 'Gatehouse',
      docs: '/docs',
      openapi: '/openapi.json',
      console: '/console',
    });
    const page = await instance.request('GET', '/', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('vary')).toContain('Accept');
    expect(page.body).toContain('href="/docs"');
    expect(page.body).toContain('href="/console"');
  });

  it('contains no inline script or style', async () => {
    const { body } = await instance.request('GET', '/docs');
    expect(body).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
  });

  it('documents each request and response class under its own name', async () => {
    for (const path of ['/openapi.json', '/operator/openapi.json'])
      expect((await instance.request('GET', path)).status).toBe(200);
    const warnings = instance.api.log.map(({ message }) => String(message));
    expect(warnings.filter((text) => text.startsWith('Duplicate DTO detected'))).toEqual([]);
  });
});
