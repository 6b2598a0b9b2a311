import { createHash, randomBytes } from 'node:crypto';
import { exchangeCode } from './email-codes.js';
import type { TestInstance, TestResponse } from './test-instance.js';

/** A hosted sign-in screen, or the redirect that follows it. */
export interface Screen {
  status: number;
  headers: Headers;
  html: string;
  /** The only heading. */
  title: string;
  /** The content of the element with `role=alert`, or null. */
  problem: string | null;
  /** The target of a redirect away from the page, or null. */
  location: string | null;
}

interface ScreenForm {
  action: string;
  fields: Record<string, string>;
}

const unescape = (html: string): string =>
  html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

const attribute = (tag: string, name: string): string | null => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value === undefined ? null : unescape(value);
};

/** Returns a page's forms. A button that submits to another path counts as a separate form. */
export function readForms(html: string): ScreenForm[] {
  return [...html.matchAll(/<form [^>]*>.*?<\/form>/gs)].flatMap(([text]) => {
    const inputs = [...text.matchAll(/<input [^>]*>/g)].map(([tag]) => tag);
    const fields = Object.fromEntries(
      inputs.map((tag) => [attribute(tag, 'name')!, attribute(tag, 'value') ?? '']),
    );
    const others = [...text.matchAll(/<button [^>]*>/g)].map(([tag]) => attribute(tag, 'formaction'));
    const actions = [
      attribute(text, 'action')!,
      ...others.filter((action): action is string => action !== null),
    ];
    return actions.map((action) => ({ action, fields }));
  });
}

/** Returns the paths, with queries, to which a page's forms submit. */
export const readFormActions = (html: string): string[] => readForms(html).map(({ action }) => action);

/** An application that sends customers to the hosted sign-in page, and a customer's browser without JavaScript. */
export class HostedSignIn {
  readonly codeVerifier = randomBytes(32).toString('base64url');
  readonly state = randomBytes(8).toString('hex');
  /** The screen that the browser displays. */
  screen!: Screen;

  constructor(
    private readonly instance: TestInstance,
    readonly redirectUrl: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** Returns the page's URL. @param more additional parameters. `undefined` removes one */
  url(more: Record<string, string | undefined> = {}): string {
    const parameters = {
      client_id: this.instance.credentials.projectId,
      redirect_url: this.redirectUrl,
      code_challenge: createHash('sha256').update(this.codeVerifier).digest('base64url'),
      state: this.state,
      ...more,
    };
    const given = Object.entries(parameters).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return `${this.instance.baseUrl}/sign-in?${new URLSearchParams(given).toString()}`;
  }

  /** Opens the page. @param more additional parameters. `undefined` removes one */
  open(more: Record<string, string | undefined> = {}): Promise<Screen> {
    return this.go(this.url(more));
  }

  /** Follows a link or redirect within the page. */
  go(path: string): Promise<Screen> {
    return this.request(path, {});
  }

  /**
   * Submits a form on the screen.
   * @param path the form's path, below `/sign-in`
   * @param entered its input values
   */
  submit(
    path: string,
    entered: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Screen> {
    const form = readForms(this.screen.html).find(
      ({ action, fields }) =>
        new URL(action, this.instance.baseUrl).pathname === `/sign-in${path}` &&
        Object.keys(entered).every((name) => name in fields),
    );
    if (!form) throw new Error(`no form for ${path}: ${this.screen.html}`);
    const body = new URLSearchParams({ ...form.fields, ...entered });
    return this.request(form.action, { method: 'POST', body, headers });
  }

  /** Returns the URL of a link on the screen. */
  link(text: string): string {
    const links = [...this.screen.html.matchAll(/<a [^>]*>(?:[^<]*)<\/a>/g)].map(([link]) => link);
    const found = links.find((link) => unescape(link).includes(`>${text}<`));
    if (!found) throw new Error(`no link ${text}: ${this.screen.html}`);
    return attribute(found, 'href')!;
  }

  /** Exchanges the code that the application has received. @throws Error if the browser has not returned to it */
  exchange(): Promise<TestResponse> {
    return exchangeCode(this.instance, {
      code: this.returnedCode(),
      codeVerifier: this.codeVerifier,
      redirectUrl: this.redirectUrl,
    });
  }

  /**
   * Returns the code from the redirect to the application.
   * @throws Error if there is no redirect, or if its state differs
   */
  returnedCode(): string {
    const { location, html } = this.screen;
    if (!location?.startsWith(new URL(this.redirectUrl).origin))
      throw new Error(`no redirect: ${location} ${html}`);
    const { searchParams } = new URL(location);
    if (searchParams.get('state') !== this.state) throw new Error(`another state: ${location}`);
    return searchParams.get('code')!;
  }

  private async request(path: string, init: RequestInit): Promise<Screen> {
    const url = new URL(path, this.instance.baseUrl);
    const response = await fetch(url, {
      ...init,
      headers: { ...this.headers, ...(init.headers as Record<string, string> | undefined) },
      redirect: 'manual',
    });
    const location = response.headers.get('location');
    const isWithinPage =
      location?.startsWith('/sign-in') || location?.startsWith(`${this.instance.baseUrl}/`);
    if (location && isWithinPage) return this.go(location);
    const html = await response.text();
    const [, title = ''] = /<h1>(.*?)<\/h1>/.exec(html) ?? [];
    const [, problem = null] = /id="problem" role="alert">(.*?)<\/p>/.exec(html) ?? [];
    this.screen = {
      status: response.status,
      headers: response.headers,
      html,
      title: unescape(title),
      problem: problem && unescape(problem),
      location,
    };
    return this.screen;
  }
}
