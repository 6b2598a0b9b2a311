import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type Page } from 'playwright-core';
import { House, PASSWORD } from '../support/house.js';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);
if (!executablePath) process.stderr.write('Pages are not tested in a browser: no Chromium found.\n');
/** A folder for pictures to look at; unset in ordinary runs. */
const screenshots = process.env['SCREENSHOTS'];
const describeBrowser = executablePath ? describe : describe.skip;

describeBrowser('in a browser', () => {
  let house: House;
  let browser: Browser;
  let site: Server;
  const complaints: string[] = [];
  beforeAll(async () => {
    house = await House.start();
    browser = await chromium.launch({
      executablePath: executablePath!,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    site = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<title>shop</title>'),
    ).listen(0, '127.0.0.1');
    await once(site, 'listening');
  });
  afterAll(async () => {
    await browser?.close();
    site?.closeAllConnections();
    site?.close();
    await house?.stop();
  });

  const open = async (url: string): Promise<Page> => {
    const page = await browser.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    return page;
  };

  it('a page of another origin registers, logs in, refreshes, reads /me and reads an error', async () => {
    const page = await open(`http://localhost:${(site.address() as AddressInfo).port}/`);
    const result = await page.evaluate(
      async ({ base, key, password }) => {
        const post = async (path: string, body: object, headers = {}) => {
          const response = await fetch(base + path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: JSON.stringify(body),
          });
          return {
            status: response.status,
            requestId: response.headers.get('x-request-id'),
            body: (await response.json()) as Record<string, any>,
          };
        };
        const keyHeader = { 'x-publishable-key': key };
        const email = 'browser@example.com';
        const registered = await post('/api/v1/auth/register', { email, password }, keyHeader);
        const wrong = await post('/api/v1/auth/login', { email, password: 'wrong password' }, keyHeader);
        const login = await post('/api/v1/auth/login', { email, password }, keyHeader);
        const refreshed = await post('/api/v1/auth/refresh', {
          refreshToken: login.body['tokens'].refreshToken,
        });
        const me = await fetch(`${base}/api/v1/me`, {
          headers: { authorization: `Bearer ${refreshed.body['tokens'].accessToken}` },
        });
        return {
          statuses: [registered.status, wrong.status, login.status, refreshed.status, me.status],
          wrong,
          me: (await me.json()) as Record<string, unknown>,
        };
      },
      { base: house.baseUrl, key: house.credentials.publishableKey, password: PASSWORD },
    );
    expect(result.statuses).toEqual([201, 401, 200, 200, 200]);
    expect(result.wrong).toMatchObject({
      body: { code: 'invalid_credentials' },
      requestId: expect.any(String),
    });
    expect(result.me['email']).toBe('browser@example.com');
    await page.close();
  });

  it('the verification page works with one press of its one button, and breaks no policy', async () => {
    await house.register('button@example.com');
    const token = await house.verificationToken('button@example.com');
    complaints.length = 0;
    const page = await open(`${house.baseUrl}/verify-email?token=${token}`);
    expect(await page.getByRole('heading').textContent()).toBe('My project');
    const button = page.getByRole('button');
    expect(await button.count()).toBe(1);
    expect(await page.evaluate(`getComputedStyle(document.querySelector('button')).fontWeight`)).toBe('600');
    if (screenshots) await page.screenshot({ path: `${screenshots}/verify-email.png` });
    await button.click();
    await page.getByText('Thank you').waitFor();
    expect(await page.getByRole('main').textContent()).toContain('button@example.com is confirmed');
    expect(complaints).toEqual([]);
    if (screenshots) await page.screenshot({ path: `${screenshots}/verified.png` });
    await page.close();
  });
});
