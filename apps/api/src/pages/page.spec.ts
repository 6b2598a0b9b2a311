import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { resolveBrand, contrastRatio } from '@gatehouse/domain';
import { linkButton, passwordForm, postButton, sendPage, type PageContent } from './page.js';

const markup = `<script>alert("1")</script> & 'Sons'`;
const escaped = '&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;Sons&#39;';

const branding = { displayName: 'The Shop', logoUrl: 'https://cdn.example.com:8443/l.png', color: '#ffd400' };
const shop = resolveBrand('shop', branding);

describe('sendPage', () => {
  let content: PageContent;
  let server: Server;
  beforeAll(async () => {
    const app = express().get('/', (_request, response) => sendPage(response, 200, content));
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const renderPage = async (page: Partial<PageContent>) => {
    content = { language: 'en', title: 'Title', text: 'Text', ...page };
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const html = await response.text();
    return { html, headers: response.headers, policy: response.headers.get('content-security-policy')! };
  };

  it('HD-01: escapes the title, text, name and logo URL', async () => {
    const { html } = await renderPage({
      title: markup,
      text: markup,
      brand: resolveBrand('shop', {
        ...branding,
        displayName: markup,
        logoUrl: `https://cdn.example.com/"><script>`,
      }),
      button:
        postButton('/x', markup, { token: markup }) + linkButton(`https://a.example/?"${markup}`, markup),
    });
    expect(html).not.toMatch(/<script(?! defer src="\/sign-in\/page.js"><)/);
    expect(html).toContain(`<h1>${escaped}</h1><p>${escaped}</p>`);
    expect(html).toContain(`<title>${escaped}</title>`);
    expect(html).toContain(`<span>${escaped}</span>`);
    expect(html).toContain('src="https://cdn.example.com/&#34;&#62;&#60;script&#62;"');
    expect(html).toContain(`name="token" value="${escaped}"`);
    expect(html).toContain(`<button type="submit">${escaped}</button>`);
    expect(html).toContain('href="https://a.example/?&#34;&#60;script');
  });

  it('HD-01: allows only the style of the page in its policy, in every color', async () => {
    for (const brand of [null, shop, resolveBrand('other', { color: '#123456' }), shop]) {
      const { html, policy } = await renderPage({ brand });
      const css = /<style>([^<]*)<\/style>/.exec(html)![1]!;
      expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'`);
      expect(css).toContain(`--accent: ${brand?.color ?? '#1d4ed8'};`);
      expect(css).toContain(`--on-accent: ${brand?.textColor ?? '#ffffff'};`);
    }
  });

  it('HD-01: allows only the style and the logo in its policy, and the script for forms', async () => {
    const rest = "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    expect((await renderPage({})).policy).toMatch(
      new RegExp(`^default-src 'none'; style-src 'sha256-[^']+'; ${rest}$`),
    );
    expect((await renderPage({ brand: shop })).policy).toMatch(
      new RegExp(
        `^default-src 'none'; style-src 'sha256-[^']+'; img-src https://cdn\\.example\\.com:8443; ${rest}$`,
      ),
    );
    const withForm = await renderPage({ button: postButton('/x', 'Go', {}) });
    expect(withForm.policy).toMatch(
      new RegExp(
        `^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; ${rest}$`,
      ),
    );
    expect((await renderPage({ button: linkButton('https://a.example', 'Go') })).html).not.toContain(
      '<script',
    );
  });

  it('allows the form to redirect to a website or an app', async () => {
    const policyFor = async (redirectUrl: string) => (await renderPage({ redirectUrl })).policy;
    expect(await policyFor('https://app.example.com:8443/a?b#c')).toContain(
      "; form-action 'self' https://app.example.com:8443; ",
    );
    expect(await policyFor('com.example.app:/welcome')).toContain("; form-action 'self' com.example.app:; ");
  });

  it('HD-01: contains no inline script and no inline style attribute', async () => {
    const { html } = await renderPage({
      brand: shop,
      button: passwordForm({
        path: '/x',
        label: 'Go',
        fields: { token: 't' },
        email: 'a@b.c',
        inputLabel: 'New password',
        minLength: 8,
        hint: 'At least 8 characters',
        error: 'No',
      }),
    });
    expect(html).not.toMatch(
      /<script(?! defer src="\/sign-in\/page.js"><)|<iframe|<object|javascript:|\son\w+=|\sstyle=/i,
    );
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(html.match(/<button/g)).toHaveLength(1);
    expect(html).toContain('<html lang="en">');
  });

  it('has a text contrast of at least 4.5:1 in the light and the dark theme', async () => {
    const css = /<style>([^<]*)<\/style>/.exec((await renderPage({})).html)![1]!;
    const [light, dark] = css.split('@media').map((part) => {
      const matches = [...part.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)];
      return Object.fromEntries(matches.map(([, name, color]) => [name, color!]));
    });
    for (const palette of [light!, { ...light, ...dark }]) {
      for (const name of ['text', 'quiet', 'alert']) {
        expect(contrastRatio(palette[name], palette['card'])).toBeGreaterThanOrEqual(4.5);
      }
      expect(contrastRatio(palette['on-accent'], palette['accent'])).toBeGreaterThanOrEqual(4.5);
      // Border of an input field (WCAG 2.2, 1.4.11).
      expect(contrastRatio(palette['line'], palette['card'])).toBeGreaterThanOrEqual(3);
    }
    expect(Object.keys(dark)).toContain('card');
  });
});

describe('passwordForm', () => {
  const form = {
    path: '/reset-password',
    label: 'Set',
    fields: { token: 'tok' },
    email: 'a"b@c.d',
    inputLabel: 'New password',
    minLength: 12,
    hint: 'At least 12 characters',
  };

  it('PW-01: contains the username for password managers, and a minimum but no maximum length', () => {
    const html = passwordForm(form);
    expect(html).toContain('<form method="post" action="/reset-password">');
    expect(html).toContain('<input type="hidden" name="token" value="tok">');
    expect(html).toContain('name="username" value="a&#34;b@c.d" autocomplete="username"');
    expect(html).toMatch(/<input id="password" name="password" type="password" autocomplete="new-password"/);
    expect(html).toContain('required minlength="12" aria-describedby="password-hint">');
    expect(html).toMatch(/id="password-hint">At least 12 characters/);
    expect(html).not.toMatch(/maxlength|aria-invalid/);
  });

  it('associates an error with its field', () => {
    const html = passwordForm({ ...form, error: markup });
    expect(html).toContain('aria-describedby="password-error password-hint" aria-invalid="true"');
    expect(html).toContain(`<p class="error" id="password-error" role="alert">${escaped}</p>`);
    expect(html).toContain('<label for="password">');
  });
});
