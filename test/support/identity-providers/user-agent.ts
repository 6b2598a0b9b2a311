import { request, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { CookieJar } from './cookie-jar.js';

/** A browser request that opens a page or submits a form. */
export interface Navigation {
  method: 'GET' | 'POST';
  url: URL;
  /** The form fields. Empty for GET. */
  form: Record<string, string>;
  /** The query and form parameters. */
  parameters: Record<string, string>;
}

/** A page that a navigation has reached. */
export interface Page extends Navigation {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** The URL at which navigation stops: its origin and path, or a condition. */
export type Target = string | ((url: URL) => boolean);

const MAX_NAVIGATIONS = 20;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * A browser without a screen. It follows redirects, submits forms whose script submits them, and stores cookies. It
 * never leaves loopback.
 */
export class UserAgent {
  readonly cookies = new CookieJar();
  /** All navigations, oldest first. */
  readonly visited: Navigation[] = [];

  /**
   * Follows redirects and forms that submit themselves.
   * @returns the navigation to the first URL that matches, which is not sent
   * @throws Error with the last page if no URL matches
   */
  async follow(start: string | URL | Navigation, { until }: { until: Target }): Promise<Navigation> {
    const end = await this.navigateUntil(start, until);
    if (!('status' in end)) return end;
    throw new Error(`navigation ended at ${end.url.href} with ${end.status}: ${end.text.slice(0, 2_000)}`);
  }

  /** Follows redirects and forms that submit themselves. @returns the last page */
  async open(start: string | URL | Navigation): Promise<Page> {
    return (await this.navigateUntil(start, () => false)) as Page;
  }

  /** Sends one navigation and returns its response. Does not follow redirects. */
  async send(navigation: Navigation, from?: URL): Promise<Page> {
    const { method, url, form } = navigation;
    if (!LOOPBACK.includes(url.hostname)) throw new Error(`${url.href} is not on loopback`);
    this.visited.push(navigation);
    const isCrossSite = describeSite(url, from) === 'cross-site';
    const cookie = this.cookies.toHeader(url, { method, isCrossSite });
    const headers = {
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
      Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'Sec-Fetch-Dest': 'document',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Site': describeSite(url, from),
      ...(cookie ? { Cookie: cookie } : {}),
      ...(method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
      ...(method === 'POST' && from ? { Origin: from.origin } : {}),
    };
    const page = await new Promise<Page>((resolve, reject) => {
      const message = request(url, { method, headers, agent: false }, (response) => {
        const { statusCode: status = 0, headers: received } = response;
        text(response).then(
          (body) => resolve({ ...navigation, status, headers: received, text: body }),
          reject,
        );
      });
      message.once('error', reject).end(method === 'POST' ? new URLSearchParams(form).toString() : '');
    });
    this.cookies.store(url, page.headers['set-cookie'] ?? []);
    return page;
  }

  private async navigateUntil(start: string | URL | Navigation, until: Target): Promise<Navigation | Page> {
    let navigation = typeof start === 'object' && 'form' in start ? start : navigate('GET', new URL(start));
    let from: URL | undefined;
    for (let count = 0; count < MAX_NAVIGATIONS; count += 1) {
      if (isTarget(navigation.url, until)) return navigation;
      const page = await this.send(navigation, from);
      const next = readRedirect(page) ?? readAutomaticForm(page);
      if (!next) return page;
      from = page.url;
      navigation = next;
    }
    throw new Error(`more than ${MAX_NAVIGATIONS} navigations: ${navigation.url.href}`);
  }
}

/** Returns the navigation of a link or form. */
export const navigate = (
  method: Navigation['method'],
  url: URL,
  form: Record<string, string> = {},
): Navigation => ({ method, url, form, parameters: { ...Object.fromEntries(url.searchParams), ...form } });

/** Returns the `Sec-Fetch-Site` value. */
function describeSite(url: URL, from: URL | undefined): string {
  if (!from) return 'none';
  if (from.origin === url.origin) return 'same-origin';
  return from.hostname === url.hostname ? 'same-site' : 'cross-site';
}

function isTarget(url: URL, until: Target): boolean {
  if (typeof until === 'function') return until(url);
  const { origin, pathname } = new URL(until);
  return url.origin === origin && url.pathname === pathname;
}

function readRedirect({ status, headers, method, url, form }: Page): Navigation | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return undefined;
  const to = new URL(headers.location, url);
  return status >= 307 ? navigate(method, to, form) : navigate('GET', to);
}

/** Returns the navigation for a form on a page whose script submits it. */
function readAutomaticForm({ url, text: html }: Page): Navigation | undefined {
  const [, attributes, content = ''] = /<form\b([^>]*)>(.*?)<\/form>/is.exec(html) ?? [];
  if (attributes === undefined || !/\.submit\(\)/.test(html)) return undefined;
  const to = new URL(readAttribute(attributes, 'action') ?? '', url);
  const fields: Record<string, string> = {};
  for (const [, input = ''] of content.matchAll(/<input\b([^>]*)>/gi)) {
    const name = readAttribute(input, 'name');
    if (name !== undefined) fields[name] = readAttribute(input, 'value') ?? '';
  }
  if (readAttribute(attributes, 'method')?.toLowerCase() === 'post') return navigate('POST', to, fields);
  to.search = new URLSearchParams(fields).toString();
  return navigate('GET', to);
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Returns the value of an attribute in double quotes. */
const readAttribute = (attributes: string, name: string): string | undefined =>
  new RegExp(`(?:^|\\s)${name}="([^"]*)"`, 'i')
    .exec(attributes)?.[1]
    ?.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (entity, hex?: string, decimal?: string, word = '') => {
      if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16));
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      return ENTITIES[word as string] ?? entity;
    });
