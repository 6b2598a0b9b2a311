import type { Page } from 'playwright-core';
import { TestBrowser } from './browser.js';
import { OpenIdProvider } from './identity-providers/open-id-provider.js';
import { createProviderUser } from './identity-providers/provider-user.js';
import { ReactPage, type PageConfig } from './react-page.js';
import { addProvider, createSocialProject, type SocialProject } from './social-sign-in.js';
import { TestInstance } from './test-instance.js';

/** The `@gatehouse/react` test fixture: a site, a project with a provider, and a page for all tests. */
export class ReactFixture {
  /** Console messages on the page. React reports problems there, and the browser reports policy violations. */
  private messages: string[] = [];
  private page: Page | undefined;

  private constructor(
    readonly instance: TestInstance,
    readonly browser: TestBrowser,
    readonly provider: OpenIdProvider,
    readonly site: ReactPage,
    readonly project: SocialProject,
  ) {}

  /** @param pages the content of each path on the site @param settings the project's settings */
  static async start(pages: Record<string, PageConfig>, settings: object = {}): Promise<ReactFixture> {
    const [instance, browser, provider, site] = await Promise.all([
      TestInstance.startShared({ workers: 0 }),
      TestBrowser.startShared(),
      OpenIdProvider.start(),
      ReactPage.start(pages),
    ]);
    const project = await createSocialProject(instance, { redirectUrls: site.urls, ...settings });
    site.use(instance, project);
    const fields = { type: 'oidc', issuer: provider.issuer, slug: 'work', name: 'Work' };
    await addProvider(instance, project, provider, fields);
    return new ReactFixture(instance, browser, provider, site, project);
  }

  /** Returns the page, which is empty, for a new user at the provider. Opens a new one if a test has closed it. */
  async openPage(): Promise<Page> {
    this.provider.user = createProviderUser();
    this.messages = [];
    if (this.page && !this.page.isClosed()) return this.page;
    const page = await (await this.browser.newContext()).newPage();
    page.on('console', (message) => this.messages.push(message.text()));
    page.on('pageerror', (error) => this.messages.push(String(error)));
    return (this.page = page);
  }

  /** Removes what a test has stored and changed in the page. */
  async resetPage(): Promise<void> {
    const page = this.page!;
    if (page.isClosed()) return;
    await page.unrouteAll();
    // Opens a style sheet, because it has the site's origin but no script that could store something again.
    await page.goto(`${this.site.origin}/main.css`);
    await page.evaluate('localStorage.clear(); sessionStorage.clear();');
    await page.goto('about:blank');
    await page.context().clearCookies();
    await page.emulateMedia({ colorScheme: null });
  }

  /** Throws if the page that was opened last has reported a problem. */
  expectNoProblems(): void {
    // Chromium reports every response with an error status, and React advertises its developer tools.
    const expected = /^Failed to load resource|React DevTools/;
    expect(this.messages.filter((text) => !expected.test(text))).toEqual([]);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.provider.stop();
    await this.site.close();
    await this.instance.stop();
  }
}
