import type { BrowserContext, Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { codeBlocks } from '../support/code-blocks.js';
import { DocumentSite } from '../support/document-site.js';
import { AppleStandIn } from '../support/identity-providers/apple-stand-in.js';
import { createGitHubUser, GitHubStandIn } from '../support/identity-providers/github-stand-in.js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { isNightly, nightlyIt } from '../support/is-nightly.js';
import { addLinkingProviders, createLinkingUser, LINKING_TABLE } from '../support/linking-table.js';
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

describeBrowser('the code in docs/identity-providers.md, on a page of another origin', () => {
  let browser: TestBrowser;
  let site: DocumentSite;
  let redirectUrl: string;
  let project: SocialProject;
  let openId: OpenIdProvider;
  let google: StandInProvider;
  let apple: AppleStandIn;
  let github: GitHubStandIn;
  let googleSlug: string;
  let context: BrowserContext;

  beforeAll(async () => {
    [openId, google, apple, github, browser] = await Promise.all([
      OpenIdProvider.start(),
      StandInProvider.start(),
      AppleStandIn.start(),
      GitHubStandIn.start(),
      TestBrowser.startShared(),
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
    const body = '<main></main>';
    site = await DocumentSite.start(() => ({ blocks, connectTo: [instance.baseUrl], body }));
    redirectUrl = `${site.origin}/signed-in`;
    await changeSettings(instance, project, { redirectUrls: [redirectUrl] });
    await addProvider(instance, project, openId, { type: 'oidc', name: 'openId', issuer: openId.issuer });
    const { slug } = await addProvider(instance, project, google, {
      ...{ type: 'google', name: 'google', issuer: google.issuer },
    });
    googleSlug = slug;
    await addProvider(instance, project, apple, { type: 'apple', name: 'apple', issuer: apple.issuer });
    await addProvider(instance, project, github, { type: 'github', name: 'github', issuer: github.url });
    await addLinkingProviders(instance, project, google);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), openId?.stop(), google?.stop(), apple?.stop(), github?.stop()]);
    site?.stop();
  });
  beforeEach(async () => (context = await browser.newContext()));
  afterEach(async () => context.close());

  const run = (page: Page, body: string): Promise<any> =>
    page.evaluate(`(async () => {
      const { gatehouse } = await import('/app.js');
      const providers = await import('/providers.js');
      ${body}
    })()`);

  /** Starts a flow. Returns what the page completes after the provider has redirected back. */
  async function completeRedirect(page: Page, start: () => Promise<unknown>): Promise<any> {
    await Promise.all([
      page.waitForURL((url) => url.href.startsWith(redirectUrl) && url.search !== ''),
      start(),
    ]);
    const result = await run(page, 'return providers.completeProvider()');
    expect(page.url()).toBe(redirectUrl);
    return result;
  }

  const signIn = (page: Page, name: string): Promise<any> =>
    completeRedirect(page, async () => {
      await run(page, `return providers.showProviders(document.querySelector('main'))`);
      await page.getByRole('button', { name: `Continue with ${name}`, exact: true }).click();
    });

  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(site.origin);
    return page;
  };

  // OpenID Connect with a redirect, and with a form that the provider's page submits.
  it.each(isNightly ? (['openId', 'google', 'apple', 'github'] as const) : (['openId', 'apple'] as const))(
    'signs up and in with %s',
    async (name) => {
      const person = createProviderUser({ hd: 'example.com' });
      openId.user = google.user = apple.user = person;
      const emails = [{ email: person.email!, primary: true, verified: true, visibility: null }];
      github.user = createGitHubUser({ emails });
      const page = await open();
      const { customer } = await signIn(page, name);
      expect(customer).toMatchObject({ email: person.email, firstName: 'Ada' });
      expect(await run(page, 'return (await gatehouse.customer.get()).id')).toBe(customer.id);
      expect((await signIn(page, name)).customer.id).toBe(customer.id);
    },
  );

  it('links an account and unlinks it, and reports the error of a redirect', async () => {
    google.user = createProviderUser();
    openId.user = createProviderUser();
    const page = await open();
    const fields = JSON.stringify({ email: uniqueEmail(), password: PASSWORD });
    const { customer } = await run(page, `return gatehouse.signUp(${fields})`);
    const { identity } = await completeRedirect(page, () =>
      run(page, `return providers.linkProvider('${googleSlug}')`),
    );
    expect(identity).toMatchObject({ provider: googleSlug, subject: google.user.sub });
    expect((await signIn(page, 'google')).customer.id).toBe(customer.id);

    await run(page, `return gatehouse.identities.unlink('${identity.id}')`);
    expect(await run(page, 'return gatehouse.identities.list()')).toEqual([]);
    google.isDenied = true;
    expect(await signIn(page, 'google')).toEqual({ error: 'access_denied' });
    google.isDenied = false;
  });

  nightlyIt('FE-03: links an account or reports the reason, for every outcome in the table', async () => {
    const page = await open();
    const outcomes: unknown[] = [];
    for (const [slug, customer] of LINKING_TABLE) {
      google.user = await createLinkingUser(instance, project, customer);
      const result = await signIn(page, slug);
      outcomes.push(result.customer?.email === google.user.email ? 'session' : result.error);
    }
    expect(outcomes).toEqual(LINKING_TABLE.map(([, , outcome]) => outcome));
  });
});
