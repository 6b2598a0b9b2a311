import { createClient, type Client } from '@gatehouse/js';
import type { TestInstance } from './test-instance.js';

type Handler = (request: Request, context: object) => Promise<Response>;

interface GatehouseOptions {
  secretKey?: string;
  clientIp?: (request: { headers: Headers }) => string | null;
}

/** The `createGatehouse()` members that the tests use. */
interface Gatehouse {
  gatehouseProxy: (request: Request) => Promise<Response>;
  handlers: Record<'GET' | 'POST' | 'PATCH' | 'DELETE', Handler>;
  auth: {
    route: (
      conditions: { mfa?: boolean; maxAge?: string },
      handler: (request: Request, session: { customerId: string }) => Response,
    ) => Handler;
  };
}

// Imported without its types, because they include React's types. React declares an empty HTMLElement, which would
// replace Playwright's declaration in all tests.
const NAME: string = '@gatehouse/nextjs';
const { createGatehouse } = (await import(NAME)) as { createGatehouse: (options: object) => Gatehouse };

/** The app's origin. */
export const APP = 'http://shop.example.com';

/** The `@gatehouse/nextjs` functions of an app that uses an instance's project. */
export interface App extends Gatehouse {
  /** The paths of all requests to Gatehouse. */
  requests: string[];
  /** State that tests can change. */
  control: {
    /** True to make Gatehouse unreachable. */
    isUnreachable: boolean;
    /** Milliseconds by which the clock of the proxy and the handlers is ahead. */
    clockOffset: number;
  };
}

/** Creates the `@gatehouse/nextjs` functions for an instance. */
export function createApp(instance: TestInstance, options: GatehouseOptions = {}): App {
  const requests: string[] = [];
  const control = { isUnreachable: false, clockOffset: 0 };
  const { projectId, publishableKey } = instance.credentials;
  const gatehouse = createGatehouse({
    url: instance.baseUrl,
    projectId,
    publishableKey,
    now: () => Date.now() + control.clockOffset,
    fetch: async (input: string, init: RequestInit) => {
      requests.push(new URL(input).pathname);
      if (control.isUnreachable) throw new TypeError('fetch failed');
      return fetch(input, init);
    },
    ...options,
  });
  return { ...gatehouse, requests, control };
}

/** A browser with one customer's cookies, which sends requests to an app's functions. */
export class NextBrowser {
  readonly cookies = new Map<string, string>();
  /** All cookies that were set, with their attributes. */
  readonly setCookies: string[] = [];
  /** Everything that JavaScript on the page could have read: response bodies and headers. */
  readonly readable: string[] = [];

  constructor(
    private readonly app: App,
    private readonly origin = APP,
  ) {}

  /** Returns a request from the page, with cookies. */
  request(path: string, { headers, ...init }: RequestInit = {}): Request {
    const { protocol, host } = new URL(this.origin);
    const all = new Headers({
      host,
      'sec-fetch-site': 'same-origin',
      'x-forwarded-proto': protocol.slice(0, -1),
      cookie: Array.from(this.cookies, (pair) => pair.join('=')).join('; '),
    });
    new Headers(headers).forEach((value, name) => all.set(name, value));
    return new Request(this.origin + path, { ...init, headers: all });
  }

  /** Sends a request to the app's handlers, or to another route. */
  async send(path: string, init: RequestInit = {}, route?: Handler): Promise<Response> {
    const handle = route ?? this.app.handlers.GET;
    return this.receive(await handle(this.request(path, init), {}));
  }

  /** Sends a request through the proxy. @returns the request headers that it forwards to the page */
  async sendThroughProxy(path: string, init: RequestInit = {}): Promise<Headers> {
    const response = this.receive(await this.app.gatehouseProxy(this.request(path, init)));
    const forwarded = new Headers();
    for (const name of response.headers.get('x-middleware-override-headers')!.split(','))
      forwarded.set(name, response.headers.get(`x-middleware-request-${name}`) ?? '');
    return forwarded;
  }

  /** Returns the client that the page uses. */
  createClient(): Client {
    return createClient({
      url: `${this.origin}/api/gatehouse`,
      publishableKey: '',
      fetch: (input, init) => this.send((input as string).slice(this.origin.length), init),
    });
  }

  private receive(response: Response): Response {
    for (const setCookie of response.headers.getSetCookie()) {
      this.setCookies.push(setCookie);
      const [name = '', value = ''] = setCookie.split(';')[0]!.split('=');
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
    response.headers.forEach((value, name) => {
      // The page can read neither HttpOnly cookies nor the proxy's changes to the request, which stay on the server.
      if (name !== 'set-cookie' && !name.startsWith('x-middleware-')) this.readable.push(`${name}: ${value}`);
    });
    const { text } = response;
    const recordText = async (): Promise<string> => {
      const body = await text.call(response);
      this.readable.push(body);
      return body;
    };
    return Object.assign(response, { text: recordText });
  }
}
