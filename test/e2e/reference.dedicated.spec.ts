import { describeBrowser, TestBrowser } from '../support/browser.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.start({ workers: 0 })));
afterAll(async () => instance?.stop());

const files: [string, string][] = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/errors', 'text/html; charset=utf-8'],
  ['/docs/reference.css', 'text/css; charset=utf-8'],
  ['/docs/reference.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/openapi.json', 'application/json; charset=utf-8'],
];

describe('the reference', () => {
  it.each(files)(
    'HD-01: %s is %s, with a policy that lets nothing inline or foreign in',
    async (path, type) => {
      const { status, headers } = await instance.request('GET', path);
      expect([status, headers.get('content-type')]).toEqual([200, type]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const policy = headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|http/);
    },
  );

  it('holds no script and no style of its own', async () => {
    const { body } = await instance.request('GET', '/docs');
    expect(body).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
  });

  it('says what each error code means, where its type leads', async () => {
    const refused = await instance.request('GET', '/api/v1/me');
    const { pathname, hash } = new URL(refused.body.type);
    expect((await instance.request('GET', pathname)).body).toContain(`id="${hash.slice(1)}"`);
  });

  it('is gone with DOCS=off, and nothing else is', async () => {
    const quiet = await TestInstance.start({ workers: 0, env: { DOCS: 'off' } });
    try {
      for (const [path] of files)
        expect([path, (await quiet.request('GET', path)).status]).toEqual([path, 404]);
      expect((await quiet.server('GET', '/api/v1/organizations')).status).toBe(200);
    } finally {
      await quiet.stop();
    }
  });
});

describeBrowser('the reference in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => (browser = await TestBrowser.launch()));
  afterAll(async () => browser?.close());

  const looks = [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['narrow', { colorScheme: 'light', viewport: { width: 390, height: 800 } }],
  ] as const;

  it.each(looks)(
    'shows every operation that a key opens, asks nobody else and complains of nothing: %s',
    async (name, options) => {
      const { paths } = (await instance.request('GET', '/openapi.json')).body;
      const count = Object.entries(paths as Record<string, object>)
        .filter(([path]) => !path.startsWith('/operator/'))
        .flatMap(([, item]) => Object.keys(item)).length;
      const page = await browser.open('about:blank', options);
      const foreign: string[] = [];
      page.on('request', (request) => {
        if (!/^data:/.test(request.url()) && !request.url().startsWith(instance.baseUrl))
          foreign.push(request.url());
      });
      await page.goto(`${instance.baseUrl}/docs`);
      await page
        .locator('.opblock')
        .nth(count - 1)
        .waitFor();
      expect(await page.locator('.opblock').count()).toBe(count);
      expect(await page.locator('html.dark-mode').count()).toBe(name === 'dark' ? 1 : 0);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await browser.shoot(page, `reference-${name}`);
      await page.locator('#operations-Authentication-authRegister .opblock-summary-control').click();
      await page.locator('#operations-Authentication-authRegister .responses-table').first().waitFor();
      await page.locator('#operations-Authentication-authRegister').scrollIntoViewIfNeeded();
      await browser.shoot(page, `reference-${name}-operation`);
      await page.goto(`${instance.baseUrl}/docs/errors#weak_password`);
      await browser.shoot(page, `reference-${name}-errors`);
      expect(foreign).toEqual([]);
      expect(browser.complaints).toEqual([]);
      await page.context().close();
    },
  );

  it('can be tried with a key, which is forgotten with the page', async () => {
    const page = await browser.open(`${instance.baseUrl}/docs`);
    await page.locator('.btn.authorize').click();
    await page.locator('.modal-ux input').first().fill(instance.credentials.secretKey);
    await page.locator('.modal-ux .btn.authorize').first().click();
    await page.locator('.modal-ux .btn-done').first().click();
    const operation = page.locator('#operations-Organizations-organizationsList');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    await operation.locator('.execute').click();
    const status = operation.locator('.live-responses-table .response .response-col_status');
    await status.waitFor();
    expect(await status.textContent()).toContain('200');
    await browser.shoot(page, 'reference-tried');
    await page.reload();
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('sk_');
    expect(browser.complaints).toEqual([]);
  });
});
