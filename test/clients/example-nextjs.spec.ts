import { readFile } from 'node:fs/promises';
import { codeBlocks } from '../support/code-blocks.js';
import { NEXT_DOCUMENT, NextExample } from '../support/next-example.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

it('the example consists of the files in the quick start', async () => {
  const blocks = [...(await codeBlocks(NEXT_DOCUMENT))];
  expect(blocks.length).toBeGreaterThan(8);
  for (const [name, code] of blocks) expect(await readFile(`examples/nextjs/${name}`, 'utf8')).toBe(code);
});

/** The nightly test uses a production build in a browser. */
describe('the example of @gatehouse/nextjs in a Next.js server', () => {
  let instance: TestInstance;
  let app: NextExample;
  beforeAll(async () => {
    [instance, app] = await Promise.all([TestInstance.startShared({ workers: 0 }), NextExample.create()]);
    const { projectId: id, publishableKey } = instance.credentials;
    await app.start('dev', instance, { id, publishableKey });
  });
  afterAll(async () => {
    await app?.close();
    await instance?.stop();
  });

  it('renders the customer on the server, refreshes the session and redirects a visitor', async () => {
    const cookies = new Map<string, string>();
    const send = async (path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> => {
      const headers = {
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        origin: app.origin,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      };
      const response = await fetch(app.origin + path, { ...init, headers, redirect: 'manual' });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
        cookies.set(name!, value!);
      }
      return { status: response.status, text: response.headers.get('location') ?? (await response.text()) };
    };
    expect(await send('/orders')).toEqual({
      status: 307,
      text: expect.stringMatching(/^\/sign-in\?redirect_url=%2Forders$/),
    });

    const email = uniqueEmail();
    const body = JSON.stringify({ email, password: PASSWORD });
    const registration = await send('/api/gatehouse/api/v1/auth/register', { method: 'POST', body });
    const { id } = JSON.parse(registration.text).customer;
    const tokens = [...cookies.values()];
    const first = await send('/orders');
    cookies.delete('gatehouse-access');
    const second = await send('/orders');
    tokens.push(...cookies.values());
    for (const { status, text } of [first, second]) {
      expect(status).toBe(200);
      // React separates the texts with a comment.
      expect(text.replaceAll('<!-- -->', '')).toContain(`Orders for customer ${id}`);
      expect(text).toContain(email);
    }
    expect(new Set(tokens.filter((token) => token.length > 30)).size).toBeGreaterThan(3);
    const texts = [registration.text, first.text, second.text];
    expect(texts.filter((text) => tokens.some((token) => token.length > 30 && text.includes(token)))).toEqual(
      [],
    );
    expect(texts.filter((text) => /ey[\w-]+\.ey[\w-]+\.[\w-]+/.test(text))).toEqual([]);
    expect(
      await instance.sql('SELECT generation FROM sessions WHERE customer_id = $1 AND revoked_at IS NULL', [
        id,
      ]),
    ).toEqual([{ generation: 2 }]);
  });
});
