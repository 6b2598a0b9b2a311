import { setImmediate } from 'node:timers/promises';
import { createClientOn, type Client } from './client.js';
import type { ClientOptions } from './client-core.js';
import type { Platform } from './platform.js';

const GATEHOUSE = 'https://auth.example.com';

/** Timers that the test runs manually, with their delays in milliseconds. */
class ManualTimers {
  readonly waiting = new Map<() => void, number>();
  time = 1_700_000_000_000;
  readonly platform: Platform = {
    now: () => this.time,
    startTimer: (callback, ms) => {
      this.waiting.set(callback, ms);
      return () => void this.waiting.delete(callback);
    },
  };

  /** Runs the timer with this delay. */
  async run(ms: number): Promise<void> {
    await setImmediate();
    const [callback] = [...this.waiting].find(([, delay]) => delay === ms)!;
    this.waiting.delete(callback);
    this.time += ms;
    callback();
    await setImmediate();
  }
}

type Respond = (request: Request, attempt: number) => Response | Promise<Response>;

let timers: ManualTimers;
let requests: Request[];
beforeEach(() => {
  timers = new ManualTimers();
  requests = [];
});

function newClient(respond: Respond, options: Partial<ClientOptions> = {}): Client {
  const fetch = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    requests.push(request);
    return respond(request, requests.length);
  }) as typeof globalThis.fetch;
  return createClientOn(timers.platform, { url: `${GATEHOUSE}/`, publishableKey: 'pk_1', fetch, ...options });
}

const tokens = (generation: number) => {
  const claims = Buffer.from(JSON.stringify({ sid: 'ses_1', generation })).toString('base64url');
  return { accessToken: `h.${claims}.s`, expiresIn: 3_600, refreshToken: `ses_1.${generation}` };
};
const customer = {
  id: 'cus_1',
  email: 'ada@example.com',
  firstName: null,
  lastName: null,
  emailVerified: true,
};

/**
 * Returns a client with a session that is older than ten seconds. `respond` handles all requests except sign-in and
 * refresh.
 */
async function signedInClient(respond: Respond): Promise<Client> {
  const client = newClient(
    (request, attempt) => {
      if (request.url.endsWith('/auth/login'))
        return Response.json({ tokens: tokens(0), customer, challenge: null });
      if (request.url.endsWith('/auth/refresh')) return Response.json({ tokens: tokens(1), customer });
      return respond(request, attempt);
    },
    { apiOrigins: ['https://api.example.com'] },
  );
  await client.signIn.password({ email: customer.email, password: 'a password' });
  timers.time += 11_000;
  requests.length = 0;
  return client;
}

describe('the client', () => {
  const overloaded = (retryAfter: string) =>
    Response.json({ code: 'overloaded' }, { status: 503, headers: { 'Retry-After': retryAfter } });

  it('repeats a request at most twice, after a Retry-After of at most five seconds', async () => {
    const client = newClient(() => overloaded('5'));
    const result = client.options().catch((error: unknown) => error);
    await timers.run(5_000);
    await timers.run(5_000);
    expect(await result).toMatchObject({ code: 'overloaded', status: 503, retryAfter: 5 });
    expect(requests).toHaveLength(3);
    expect(requests[0]!.url).toBe(`${GATEHOUSE}/api/v1/auth/options`);
    expect(requests[0]!.headers.get('X-Publishable-Key')).toBe('pk_1');
  });

  it('does not repeat a request after a longer Retry-After', async () => {
    const client = newClient(() => overloaded('6'));
    await expect(client.options()).rejects.toMatchObject({ code: 'overloaded', retryAfter: 6 });
    expect(requests).toHaveLength(1);
  });

  it('throws timeout after eight seconds without a complete response', async () => {
    const client = newClient(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    const result = client.options().catch((error: unknown) => error);
    await timers.run(8_000);
    expect(await result).toMatchObject({ code: 'timeout', status: 0 });
    expect(timers.waiting.size).toBe(0);
  });

  it('throws network_error when a captive portal responds with HTML', async () => {
    const client = newClient(() => new Response('<h1>Welcome to the hotel</h1>'));
    await expect(client.options()).rejects.toMatchObject({ code: 'network_error', status: 0 });
  });
});

describe('client.fetch', () => {
  it('adds the token only for allowed origins', async () => {
    const client = await signedInClient(() => new Response());
    const urls = {
      'https://api.example.com/orders': true,
      'HTTPS://API.example.com/orders': true,
      'https://auth.example.com/api/v1/me': true,
      'http://api.example.com/orders': false,
      'https://api.example.com:8443/orders': false,
      'https://api.example.com.attacker.example/': false,
      'https://api.example.com@attacker.example/': false,
      'https://attacker.example/https://api.example.com/': false,
      'https://attacker.example\\@api.example.com/': false,
    };
    const sent: Record<string, boolean> = {};
    for (const url of Object.keys(urls)) {
      // fetch rejects URLs with credentials, but only after the client has decided on the token.
      const isAccepted = await client.fetch(url).then(
        () => true,
        () => false,
      );
      sent[url] = isAccepted && requests.at(-1)!.headers.has('Authorization');
    }
    expect(sent).toEqual(urls);
  });

  it('keeps the Authorization header from the caller', async () => {
    const client = await signedInClient(() => new Response());
    await client.fetch('https://api.example.com/', { headers: { Authorization: 'Basic abc' } });
    expect(requests[0]!.headers.get('Authorization')).toBe('Basic abc');
  });

  it('repeats a rejected request once, unless its body is a stream', async () => {
    const url = 'https://api.example.com/orders';
    const init = () => ({ method: 'POST', body: 'text' });
    const stream = () =>
      ({ method: 'POST', duplex: 'half', body: new Blob(['text']).stream() }) as RequestInit;
    const cases: Record<string, (client: Client) => Promise<Response>> = {
      text: (client) => client.fetch(url, init()),
      request: (client) => client.fetch(new Request(url, init())),
      stream: (client) => client.fetch(url, stream()),
    };
    const outcomes: Record<string, unknown> = {};
    for (const [name, send] of Object.entries(cases)) {
      const bodies: string[] = [];
      const client = await signedInClient(async (request) => {
        bodies.push(await request.text());
        return new Response(null, { status: 401 });
      });
      const { status } = await send(client);
      outcomes[name] = [status, bodies, await client.getAccessToken()];
    }
    const { accessToken } = tokens(1);
    expect(outcomes).toEqual({
      text: [401, ['text', 'text'], accessToken],
      request: [401, ['text', 'text'], accessToken],
      stream: [401, ['text'], accessToken],
    });
  });
});

describe('the session', () => {
  it('remains active when another sign-in requires a second factor', async () => {
    const challenge = { kind: 'second_factor', token: 'chal_1', methods: ['totp'] };
    const client = newClient((_, attempt) =>
      Response.json(attempt === 1 ? { tokens: tokens(0), customer, challenge: null } : { challenge }),
    );
    const states: unknown[] = [];
    client.onAuthStateChange(({ status }) => states.push(status));
    await client.signIn.password({ email: customer.email, password: 'a password' });
    const other = { email: 'grace@example.com', password: 'another password' };
    expect(await client.signIn.password(other)).toEqual({ status: 'second_factor', challenge });
    expect(await client.getAccessToken()).toBe(tokens(0).accessToken);
    expect(states.at(-1)).toBe('signed_in');
  });

  it("remains active when a refresh is rejected because of the page's origin", async () => {
    const rejected = () => Response.json({ code: 'origin_not_allowed' }, { status: 403 });
    const responses = [
      () => Response.json({ tokens: tokens(0), customer, challenge: null }),
      rejected,
      rejected,
      () => Response.json({ tokens: tokens(1), customer }),
    ];
    const client = newClient((_, attempt) => responses[attempt - 1]!());
    await client.signIn.password({ email: customer.email, password: 'a password' });
    timers.time += 3_590_000;
    expect(await client.getAccessToken()).toBe(tokens(0).accessToken);
    timers.time += 10_000;
    await expect(client.getAccessToken()).rejects.toMatchObject({ code: 'origin_not_allowed', status: 403 });
    // The origin has been added to `allowedOrigins`.
    expect(await client.getAccessToken()).toBe(tokens(1).accessToken);
  });
});

describe('client.handleRedirect', () => {
  const redirectUrl = 'https://app.example.com/signed-in';

  it('requires a secure source of random bytes to start a flow', async () => {
    const crypto = {} as ClientOptions['crypto'];
    const client = newClient(() => new Response(), { projectId: 'prj_1', ...(crypto ? { crypto } : {}) });
    await expect(client.signInUrl({ redirectUrl })).rejects.toMatchObject({ code: 'no_secure_random' });
  });

  it('ignores a redirect unless its state matches a flow of this client', async () => {
    const client = newClient(() => new Response(), { projectId: 'prj_1' });
    await client.signInUrl({ redirectUrl });
    for (const query of ['code=abc&state=planted', 'code=abc', 'error=access_denied', 'other=1'])
      expect(await client.handleRedirect(`${redirectUrl}?${query}`)).toBeNull();
    expect(requests).toEqual([]);
  });

  it('handles a redirect again when the exchange response was lost', async () => {
    const client = newClient(
      (_, attempt) => {
        if (attempt === 1) throw new TypeError('fetch failed');
        return Response.json({ tokens: tokens(0), customer, challenge: null });
      },
      { projectId: 'prj_1' },
    );
    const page = new URL(await client.signInUrl({ redirectUrl, maxAge: 0, uiLocales: ['de', 'en'] }));
    expect(Object.fromEntries(page.searchParams)).toMatchObject({ max_age: '0', ui_locales: 'de en' });
    const url = `${redirectUrl}?code=abc&state=${page.searchParams.get('state')}`;
    await expect(client.handleRedirect(url)).rejects.toMatchObject({ code: 'network_error' });
    expect(await client.handleRedirect(url)).toMatchObject({ status: 'complete' });
    expect(await client.handleRedirect(url)).toBeNull();
  });
});
