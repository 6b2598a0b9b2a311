import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { TestInstance } from '../support/test-instance.js';

/** Of what a browser loads before it shows anything, compressed by gzip. */
const BUDGET_BYTES = 300_000;

const policy = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
  `connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; ` +
  `require-trusted-types-for 'script'; trusted-types default`;

interface FileAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  content: Buffer;
}

/** Asks for exactly this path, dots and all, which `fetch` would tidy up. */
function ask(
  instance: TestInstance,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<FileAnswer> {
  const { hostname, port } = new URL(instance.baseUrl);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      buffer(answer).then(
        (content) => resolve({ status: answer.statusCode!, headers: answer.headers, content }),
        reject,
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('the files of the console', () => {
  let instance: TestInstance;
  let page: string;
  /** Everything that the page names. */
  let assets: string[];
  beforeAll(async () => {
    instance = await TestInstance.shared({ workers: 0 });
    page = (await ask(instance, '/console/')).content.toString();
    assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name!);
  });
  afterAll(() => instance?.stop());

  const nonceIn = (text: string): string => / nonce="([^"]+)"/.exec(text)![1]!;

  it('CO-02: every path of a screen is the page, under its policy, and nobody keeps it', async () => {
    for (const path of [
      '/console/',
      '/console/sign-in',
      '/console/deliveries/dlv_01890a5d-ac96-774b-bcce-b302099a8057',
      '/console/deliveries?success=false',
      '/console/no/such/screen',
    ]) {
      const { status, headers, content } = await ask(instance, path);
      expect({ path, status, headers }).toEqual({
        path,
        status: 200,
        headers: expect.objectContaining({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': policy(nonceIn(content.toString())),
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'x-robots-tag': expect.stringContaining('noindex'),
        }),
      });
    }
  });

  it('CO-02: the nonce of each answer is another one, of 128 bits', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(instance, '/console/')));
    const nonces = answers.map(({ content }) => nonceIn(content.toString()));
    expect(new Set(nonces).size).toBe(20);
    for (const nonce of nonces) expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
  });

  it('CO-02: the page holds no script and no style of its own, and names nothing elsewhere', () => {
    expect(page).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
    expect(assets.length).toBeGreaterThan(2);
    expect(assets.filter((name) => !/^\/console\/assets\/[\w.-]+$/.test(name))).toEqual([]);
  });

  it('has for each asset a name that changes with it, so that it is kept for good', async () => {
    for (const path of assets) {
      const { status, headers } = await ask(instance, path);
      expect([path, status]).toEqual([path, 200]);
      expect(path).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
      expect(headers['content-type']).toMatch(
        { js: /^text\/javascript/, css: /^text\/css/, svg: /^image\/svg\+xml$/ }[path.split('.').at(-1)!]!,
      );
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)(
    'sends them as %s to whoever takes that, and as they are to others',
    async (encoding, unpack) => {
      const path = assets.find((name) => name.endsWith('.js'))!;
      const plain = await ask(instance, path);
      const small = await ask(instance, path, { headers: { 'accept-encoding': encoding } });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(small.headers['content-encoding']).toBe(encoding);
      expect([plain.headers.vary, small.headers.vary].join()).toMatch(/Accept-Encoding.*,.*Accept-Encoding/i);
      expect(small.content.length).toBeLessThan(plain.content.length / 2);
      expect(unpack(small.content).equals(plain.content)).toBe(true);
    },
  );

  it('loads at most 300 kB before it shows anything', async () => {
    const loaded = await Promise.all(
      ['/console/', ...assets].map((path) => ask(instance, path, { headers: { 'accept-encoding': 'gzip' } })),
    );
    const bytes = loaded.reduce((sum, { content }) => sum + content.length, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  it('answers HEAD like GET, without the body', async () => {
    for (const path of ['/console/', assets[0]!]) {
      const [got, head] = await Promise.all([ask(instance, path), ask(instance, path, { method: 'HEAD' })]);
      expect(head.content).toHaveLength(0);
      expect(head.status).toBe(200);
      for (const name of ['content-type', 'content-length', 'cache-control'])
        expect(head.headers[name]).toBe(got.headers[name]);
    }
  });

  it('leads from /console to /console/, query and all', async () => {
    const { status, headers } = await ask(instance, '/console?range=1h');
    expect([status, headers.location]).toEqual([308, '/console/?range=1h']);
  });

  it('refuses every method but GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers } = await ask(instance, '/console/', { method });
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  it('is a 404 in JSON, not the page, for paths that are no file and no screen', async () => {
    const faults: unknown[] = [];
    for (const path of [
      '/console/assets/index-00000000.js',
      '/console/assets/',
      '/console/favicon.ico',
      '/console/index.html',
      '/console/assets/../index.html',
      '/console/assets/../../../package.json',
      '/console/assets/..%2f..%2f..%2f..%2fpackage.json',
      '/console/assets/%2e%2e/index.html',
      '/console/../package.json',
      '/console/assets/..\\index.html',
      '/console/assets/%00.js',
      '/consoles',
      '/api/v1/no-such-route',
      '/operator/v1/no-such-route',
      '/v1/console/',
    ]) {
      const { status, headers, content } = await ask(instance, path, { headers: { accept: 'text/html' } });
      const isProblem = headers['content-type'] === 'application/problem+json; charset=utf-8';
      const problem = isProblem ? (JSON.parse(content.toString()) as { status: number }) : null;
      if (status !== 404 || problem?.status !== 404 || !headers['cache-control']?.includes('no-store'))
        faults.push({ path, status, headers });
    }
    expect(faults).toEqual([]);
  });
});
