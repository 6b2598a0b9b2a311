import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { codeBlocks } from '../support/code-blocks.js';
import { AppleStandIn } from '../support/identity-providers/apple-stand-in.js';
import { createGitHubPerson, GitHubStandIn } from '../support/identity-providers/github-stand-in.js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { createPerson } from '../support/identity-providers/person.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { addLinkingProviders, createLinkingPerson, LINKING_TABLE } from '../support/linking-table.js';
import {
  addProvider,
  changeSettings,
  createSocialProject,
  type SocialProject,
} from '../support/social-sign-in.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

describeBrowser('the module of docs/identity-providers.md, in a page of another origin', () => {
  let browser: TestBrowser;
  let site: Server;
  let home: string;
  let project: SocialProject;
  let openId: OpenIdProvider;
  let google: StandInProvider;
  let apple: AppleStandIn;
  let github: GitHubStandIn;
  let slugs: Record<'openId' | 'google' | 'apple' | 'github', string>;
  let context: BrowserContext;

  beforeAll(async () => {
    [openId, google, apple, github, browser] = await Promise.all([
      OpenIdProvider.start(),
      StandInProvider.start(),
      AppleStandIn.start(),
      GitHubStandIn.start(),
      TestBrowser.launch(),
    ]);
    project = await createSocialProject(instance);
    const blocks = new Map([
      ...(await codeBlocks('docs/frontend.md')),
      ...(await codeBlocks('docs/identity-providers.md')),
    ]);
    const app = blocks
      .get('app.js')!
      .replace('http://127.0.0.1:3000', instance.baseUrl)
      .replace('pk_…', project.publishableKey);
    blocks.set('app.js', app);
    site = createServer((request, response) => {
      const script = blocks.get(new URL(request.url!, 'http://site').pathname.slice(1));
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
      response.end(script ?? '<!doctype html><title>shop</title><p>Welcome');
    }).listen(0, 'localhost');
    await once(site, 'listening');
    home = `http://localhost:${(site.address() as AddressInfo).port}/`;
    await changeSettings(instance, project, { redirectUrls: [home] });
    const add = async (server: Parameters<typeof addProvider>[2], type: string, issuer: string) =>
      (await addProvider(instance, project, server, { type, issuer })).slug;
    slugs = {
      openId: await add(openId, 'oidc', openId.issuer),
      google: await add(google, 'google', google.issuer),
      apple: await add(apple, 'apple', apple.issuer),
      github: await add(github, 'github', github.url),
    };
    await addLinkingProviders(instance, project, google);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), openId?.stop(), google?.stop(), apple?.stop(), github?.stop()]);
    site?.closeAllConnections();
    site?.close();
  });
  beforeEach(async () => (context = await browser.newContext()));
  afterEach(async () => context.close());

  /** Runs code with the modules in scope. */
  const run = (page: Page, body: string): Promise<any> =>
    page.evaluate(`(async () => {
      const providers = await import('/providers.js');
      const account = await import('/account.js');
      return (async () => { ${body} })().catch(({ code }) => ({ code }));
    })()`);

  /** Starts a flow, and returns what the page to which the provider has led back completes. */
  async function comeBack(page: Page, start: string): Promise<any> {
    await Promise.all([
      page.waitForURL((url) => url.href.startsWith(home) && url.search !== ''),
      run(page, start),
    ]);
    const result = await run(page, 'return providers.completeProvider()');
    expect(page.url()).toBe(home);
    return result;
  }

  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(home);
    return page;
  };

  it.each(['openId', 'google', 'apple', 'github'] as const)('signs up and in at %s', async (name) => {
    const person = createPerson({ hd: 'example.com' });
    openId.person = google.person = apple.person = person;
    const emails = [{ email: person.email!, primary: true, verified: true, visibility: null }];
    github.person = createGitHubPerson({ emails });
    const page = await open();
    const start = `return providers.signInWithProvider('${slugs[name]}', location.href)`;
    const { customer } = await comeBack(page, start);
    expect(customer).toMatchObject({ email: person.email, firstName: 'Ada' });
    expect(await run(page, 'return (await account.me()).id')).toBe(customer.id);
    expect((await comeBack(page, start)).customer.id).toBe(customer.id);
  });

  it('links an account and unlinks it, and reports the error of a redirect', async () => {
    google.person = createPerson();
    openId.person = createPerson();
    const page = await open();
    const email = uniqueEmail();
    const { customer } = await run(page, `return account.register('${email}', '${PASSWORD}', 'Ada')`);
    const linked = await comeBack(page, `return providers.linkProvider('${slugs.google}', location.href)`);
    expect(linked).toMatchObject({ provider: slugs.google, subject: google.person.sub });
    expect(await run(page, 'return (await providers.identities()).map(({ id }) => id)')).toEqual([linked.id]);
    const start = `return providers.signInWithProvider('${slugs.google}', location.href)`;
    expect((await comeBack(page, start)).customer.id).toBe(customer.id);

    await run(page, `return providers.unlinkProvider('${linked.id}')`);
    expect(await run(page, 'return providers.identities()')).toEqual([]);
    google.isDenied = true;
    expect(await comeBack(page, start)).toEqual({ error: 'access_denied' });
    google.isDenied = false;
  });

  it.each(LINKING_TABLE)(
    'FE-03: an email that is %s, of a customer who is %s: %s',
    async (slug, customer, outcome) => {
      google.person = await createLinkingPerson(instance, project, customer);
      const result = await comeBack(
        await open(),
        `return providers.signInWithProvider('${slug}', location.href)`,
      );
      expect(result.error ?? result.customer).toEqual(
        outcome === 'session' ? expect.objectContaining({ email: google.person.email }) : outcome,
      );
    },
  );
});
