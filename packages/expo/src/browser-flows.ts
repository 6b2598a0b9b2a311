import type { RedirectResult, RedirectTarget } from '@gatehouse/js';
import type { NativeModules } from './native-modules.js';
import {
  checkRedirect,
  matchesUrl,
  resolveRedirect,
  toRedirectUrl,
  type RedirectOptions,
  type ResolvedRedirect,
} from './redirect-target.js';

/** Options for a flow in the browser. By default, the browser opens over the app. */
export type BrowserFlow = Omit<RedirectTarget, 'redirectUrl'> & RedirectOptions;

/** Runs a flow in the browser. Returns null if the customer closes the browser. */
export type BrowserFunction = (flow: BrowserFlow) => Promise<RedirectResult | null>;

/** An open browser, and the link with which the app was opened in the meantime, if any. */
interface Session {
  redirect: ResolvedRedirect;
  link: string | null;
}

/** Opens the browser, and keeps the app from handling the redirect a second time as an app link. */
export class BrowserFlows {
  private session: Session | undefined;

  constructor(
    private readonly modules: Pick<NativeModules, 'linking' | 'webBrowser'>,
    private readonly defaults: RedirectOptions,
  ) {}

  /** Wraps a client function so that it opens the browser. */
  wrap(run: (target: RedirectTarget) => Promise<RedirectResult | null>): BrowserFunction {
    return async ({ provider, openUrl, ...flow }) => {
      const redirect = this.resolve(flow);
      checkRedirect(redirect);
      const open = openUrl ?? ((url: string) => this.open(url, redirect));
      return run({ provider, redirectUrl: redirect.redirectUrl, openUrl: open });
    };
  }

  /** Returns the redirect URL for a link that opened the app, or null if the link belongs to the open browser. */
  receive(link: string): string | null {
    const { session } = this;
    if (!session || !matchesUrl(link, session.redirect.returnUrl))
      return toRedirectUrl(link, this.resolve({}));
    session.link = link;
    return null;
  }

  private resolve(flow: RedirectOptions): ResolvedRedirect {
    const { redirectUrl = this.defaults.redirectUrl, returnUrl = this.defaults.returnUrl } = flow;
    return resolveRedirect(this.modules.linking, { redirectUrl, returnUrl });
  }

  private async open(url: string, redirect: ResolvedRedirect): Promise<string | null> {
    const session: Session = { redirect, link: null };
    this.session = session;
    try {
      const result = await this.modules.webBrowser.openAuthSessionAsync(url, redirect.returnUrl);
      // Android can report that the browser was closed even though the redirect has reached the app.
      const returned = result.type === 'success' ? result.url : session.link;
      return returned ? toRedirectUrl(returned, redirect) : null;
    } finally {
      if (this.session === session) this.session = undefined;
    }
  }
}
