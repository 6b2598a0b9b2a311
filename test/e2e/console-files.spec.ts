import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { TestInstance } from '../support/test-instance.js';

/** Maximum gzipped size of the files that a browser loads before the first render, including the font. */
const BUDGET_BYTES = 300_000;

const policy = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
  `font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; ` +
  `require-trusted-types-for 'script'; trusted-types default`;

interface FileResponse {
  status: number;
  headers: IncomingHttpHeaders;
  content: Buffer;
}

/** Requests exactly this path, including dot segments, which `fetch` would normalize. */
function requestPath(
  instance: TestInstance,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<FileResponse> {
  const { hostname, port } = new URL(instance.baseUrl);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers, agent: false }, (response) => {
      buffer(response).then(
        (content) => resolve({ status: response.statusCode!, headers: response.headers, content }),
        reject,
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('the console file server', () => {
  let instance: TestInstance;
  let page: string;
  /** Paths of all files that the page references. */
  let assets: string[];
  beforeAll(async () => {
    instance = await TestInstance.startShared({ workers: 0 });
    page = (await requestPath(instance, '/console/')).content.toString();
    assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name!);
  });
  afterAll(() => instance?.stop());

  const nonceIn = (text: string): string => / nonce="([^"]+)"/.exec(text)![1]!;

  it('CO-02: serves the page with its policy and without caching for every screen path', async () => {
    for (const path of [
      '/console/',
      '/console/sign-in',
      '/console/deliveries/dlv_01890a5d-ac96-774b-bcce-b302099a8057',
      '/console/deliveries?success=false',
      '/console/no/such/screen',
    ]) {
      const { status, headers, content } = await requestPath(instance, path);
      expect({ path, status, headers }).toEqual({
        path,
        status: 200,
        headers: expect.objectContaining({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': policy(nonceIn(content.toString())),
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'x-robots-tag': expect.stringContaining('noindex'),
        }),
      });
    }
  });

  it('CO-02: gives each page its own 128-bit nonce, and no inline or external content', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => requestPath(instance, '/console/')));
    const nonces = responses.map(({ content }) => nonceIn(content.toString()));
    expect(new Set(nonces).size).toBe(5);
    for (const nonce of nonces) expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
    expect(page).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
    expect(assets.length).toBeGreaterThan(2);
    expect(assets.filter((name) => !/^\/console\/assets\/[\w.-]+$/.test(name))).toEqual([]);
  });

  it('names each asset after its content, so that browsers can cache it forever', async () => {
    for (const path of assets) {
      const { status, headers } = await requestPath(instance, path);
      expect([path, status]).toEqual([path, 200]);
      expect(path).toMatch(/-[\w-]{8}\.(js|css|svg|woff2)$/);
      expect(headers['content-type']).toMatch(
        {
          js: /^text\/javascript/,
          css: /^text\/css/,
          svg: /^image\/svg\+xml$/,
          woff2: /^font\/woff2$/,
        }[path.split('.').at(-1)!]!,
      );
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
  });

  it('compresses assets if clients accept it, so that the first render needs at most 300 kB', async () => {
    const path = assets.find((name) => name.endsWith('.js'))!;
    const plain = await requestPath(instance, path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, content } = await requestPath(instance, path, {
        headers: { 'accept-encoding': encoding },
      });
      expect([headers['content-encoding'], headers.vary]).toEqual([
        encoding,
        expect.stringMatching(/accept-encoding/i),
      ]);
      expect(unpack(content).equals(plain.content)).toBe(true);
    }
    expect(plain.headers.vary).toMatch(/accept-encoding/i);
    const loaded = await Promise.all(
      ['/console/', ...assets].map((name) =>
        requestPath(instance, name, { headers: { 'accept-encoding': 'gzip' } }),
      ),
    );
    expect(assets).toContainEqual(expect.stringMatching(/geist-latin-wght-normal-[\w-]{8}\.woff2$/));
    const bytes = loaded.reduce((sum, { content }) => sum + content.length, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  it('redirects /console to /console/ with its query, and accepts only GET and HEAD', async () => {
    const { status, headers } = await requestPath(instance, '/console?range=1h');
    expect([status, headers.location]).toEqual([308, '/console/?range=1h']);
    const head = await requestPath(instance, '/console/', { method: 'HEAD' });
    expect([head.status, head.content.length]).toEqual([200, 0]);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const rejected = await requestPath(instance, '/console/', { method });
      expect([method, rejected.status, rejected.headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  it('returns a JSON 404 instead of the page for unknown paths', async () => {
    const failures: unknown[] = [];
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
      const { status, headers, content } = await requestPath(instance, path, {
        headers: { accept: 'text/html' },
      });
      const isProblem = headers['content-type'] === 'application/problem+json; charset=utf-8';
      const problem = isProblem ? (JSON.parse(content.toString()) as { status: number }) : null;
      if (status !== 404 || problem?.status !== 404 || !headers['cache-control']?.includes('no-store'))
        failures.push({ path, status, headers });
    }
    expect(failures).toEqual([]);
  });
});
