import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { freePort } from './server-process.mjs';
import { TestInstance, type TestResponse } from './test-instance.js';

/** The URL to which the billing portal links back. */
export const RETURN_URL = 'https://app.example.com/billing';

/** Creates a billing portal session with a secret key. @param body differences from the default request */
export const openPortal = (
  instance: TestInstance,
  key: string,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<TestResponse> =>
  instance.request('POST', '/api/v1/billing/portal', {
    body: { returnUrl: RETURN_URL, ...body },
    headers: { authorization: `Bearer ${key}`, ...headers },
  });

/** One request to the stub. */
export interface StripeRequest {
  path: string;
  headers: IncomingHttpHeaders;
  /** The form fields, such as `metadata[a]`. */
  form: Record<string, string>;
}

interface Reply {
  status: number;
  body: unknown;
}

/** A response that replaces Stripe's normal behavior. */
export type ResponseOverride = (response: ServerResponse) => void;

interface StripeError {
  type?: string;
  code?: string;
  param?: string;
  message?: string;
}

const errorReply = (status: number, error: StripeError): Reply => ({
  status,
  body: { error: { type: 'invalid_request_error', message: 'no', ...error } },
});

/** Responds with an error in Stripe's format. */
export const respondWithStripeError =
  (status: number, error: StripeError = {}): ResponseOverride =>
  (response) =>
    sendReply(response, errorReply(status, error));

export const neverRespond: ResponseOverride = () => undefined;

/** Starts a response and sends a byte every 200 ms, so that the socket is never idle. */
export const respondSlowly: ResponseOverride = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 200);
  response.on('close', () => clearInterval(timer));
};

/** Responds like a failing proxy in front of Stripe. */
export const respondWithHtml: ResponseOverride = (response) =>
  response.writeHead(502).end('<html>Bad gateway</html>');

/** Responds with an authentication error, in lines that violate RFC 9112. */
export const respondWithLineFeeds: ResponseOverride = (response) => {
  const { body } = errorReply(401, { message: 'Invalid API Key provided' });
  response.socket!.end(`HTTP/1.1 401 Unauthorized\n\n${JSON.stringify(body)}`);
};

export const closeConnection: ResponseOverride = (response) => response.destroy();

/**
 * The part of Stripe's HTTP API that the billing portal requires, on loopback: customers and portal sessions, with
 * Stripe's form encoding, keys, errors and idempotency (https://docs.stripe.com/api).
 */
export class StripeStub {
  readonly key = `sk_test_${randomBytes(12).toString('hex')}`;
  readonly requests: StripeRequest[] = [];
  /** Customers by id. */
  readonly customers = new Map<string, { name: string; organizationId: string }>();
  /** Customer creation duration, in ms. */
  creationDelayMs = 0;
  /** True to make customer creations fail. Unlike an override, the response is stored with the idempotency key. */
  failsCustomerCreation = false;
  /** Number of upcoming responses that are lost after their requests were executed. */
  lostResponses = 0;
  /** The override when no others are left. Null means Stripe's normal behavior. */
  defaultOverride: ResponseOverride | null = null;
  private readonly overrides: ResponseOverride[] = [];
  private readonly savedReplies = new Map<string, { form: string; reply: Reply | null }>();
  private server: Server | undefined;
  private port = 0;

  async start(): Promise<this> {
    // The port is reserved, so no other server takes it while this one is stopped.
    this.port ||= await freePort();
    this.server = createServer((message, response) => {
      let body = '';
      message.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      message.on('error', () => undefined);
      message.on('end', () => {
        const form = Object.fromEntries(new URLSearchParams(body));
        const request = { path: message.url ?? '', headers: message.headers, form };
        this.requests.push(request);
        const override = this.overrides.shift() ?? this.defaultOverride;
        if (override) override(response);
        else
          void this.reply(request, body).then((reply) =>
            this.lostResponses-- > 0 ? response.destroy() : sendReply(response, reply),
          );
      });
    }).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Overrides the responses to the next requests, one override for each. */
  overrideNext(...overrides: ResponseOverride[]): this {
    this.overrides.push(...overrides);
    return this;
  }

  requestsTo(path: string): StripeRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Clears the recorded requests and all overrides. */
  reset(): void {
    this.requests.length = 0;
    this.overrides.length = 0;
    this.defaultOverride = null;
    this.failsCustomerCreation = false;
    this.lostResponses = 0;
    this.creationDelayMs = 0;
  }

  async stop(): Promise<void> {
    if (!this.server?.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /**
   * Executes a request. Like Stripe, stores the first response for an idempotency key with its parameters, even if it
   * is an error.
   */
  private async reply(request: StripeRequest, form: string): Promise<Reply> {
    if (request.headers.authorization !== `Bearer ${this.key}`) {
      return errorReply(401, { message: `Invalid API Key provided: sk_test_********${this.key.slice(-4)}` });
    }
    const key = request.headers['idempotency-key'] as string | undefined;
    const saved = key === undefined ? undefined : this.savedReplies.get(key);
    if (saved?.reply === null) return errorReply(409, { code: 'idempotency_key_in_use' });
    if (saved && saved.form !== form) return errorReply(400, { type: 'idempotency_error' });
    if (saved) return saved.reply;
    if (key) this.savedReplies.set(key, { form, reply: null });
    const reply = await this.execute(request);
    if (key) this.savedReplies.set(key, { form, reply });
    return reply;
  }

  private async execute({ path, headers, form }: StripeRequest): Promise<Reply> {
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    if (!isForm || !headers['stripe-version']) return errorReply(400, { message: 'ill-formed' });
    if (path === '/v1/customers') return this.createCustomer(form);
    if (path === '/v1/billing_portal/sessions') return this.createSession(form);
    return errorReply(404, { message: `Unrecognized request URL (POST: ${path})` });
  }

  private async createCustomer(form: StripeRequest['form']): Promise<Reply> {
    await new Promise((resolve) => setTimeout(resolve, this.creationDelayMs));
    if (this.failsCustomerCreation) return errorReply(500, { type: 'api_error' });
    const id = `cus_${randomBytes(7).toString('hex')}`;
    this.customers.set(id, {
      name: form['name']!,
      organizationId: form['metadata[gatehouse_organization_id]']!,
    });
    return { status: 200, body: { id, object: 'customer', name: form['name'] } };
  }

  private createSession(form: StripeRequest['form']): Reply {
    const { customer = '', return_url } = form;
    if (!this.customers.has(customer)) {
      const message = `No such customer: '${customer}'`;
      return errorReply(400, { code: 'resource_missing', param: 'customer', message });
    }
    const id = randomBytes(12).toString('hex');
    const created = Math.floor(Date.now() / 1_000);
    const url = `https://billing.stripe.com/p/session/test_${id}`;
    const session = { id: `bps_${id}`, object: 'billing_portal.session', created, customer, return_url, url };
    return { status: 200, body: session };
  }
}

function sendReply(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Request-Id': `req_${randomBytes(7).toString('hex')}`,
  });
  response.end(JSON.stringify(body));
}

/** Starts an instance that uses the Stripe stub. */
export async function startWithStripe(): Promise<{ stripe: StripeStub; instance: TestInstance }> {
  const stripe = new StripeStub();
  await stripe.start();
  const env = { RATE_LIMITS: 'off', STRIPE_SECRET_KEY: stripe.key, STRIPE_API_BASE: stripe.url };
  return { stripe, instance: await TestInstance.start({ workers: 0, env }) };
}
