import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { eventually } from '../eventually.js';
import { freePort } from '../server-process.mjs';

/** One request to a stand-in. */
export interface StandInRequest<Endpoint extends string = string> {
  /** Null if the path belongs to no endpoint. */
  endpoint: Endpoint | null;
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  query: Record<string, string>;
  /** The form fields. Empty without a form. */
  form: Record<string, string>;
}

/** Responds to one request to an endpoint. */
export type Responder = (response: ServerResponse, request: StandInRequest) => unknown;

/**
 * The HTTP server of an identity provider stand-in, on loopback. It records every request. A test can hold requests, or
 * replace each endpoint's response.
 */
export abstract class StandInServer<Endpoint extends string> {
  readonly requests: StandInRequest<Endpoint>[] = [];
  /** Responses that replace an endpoint's regular ones until they are deleted. */
  overrides: Partial<Record<Endpoint, Responder>> = {};
  private readonly nextOverrides = new Map<Endpoint, Responder[]>();
  /** Functions that continue the requests at held endpoints. */
  private readonly held = new Map<Endpoint, Set<() => void>>();
  private server: Server | undefined;
  private port = 0;

  /** Each endpoint's path. */
  protected abstract readonly paths: Record<Endpoint, string>;

  /** Responds like the provider. */
  protected abstract respond(
    response: ServerResponse,
    request: StandInRequest<Endpoint> & { endpoint: Endpoint },
  ): unknown;

  /** Starts listening. After `stop`, the URL stays the same. */
  async listen(): Promise<this> {
    // The port is reserved, so no other server takes it while this one is stopped.
    this.port ||= await freePort();
    this.server = createServer((message, response) => this.receive(message, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  urlOf(endpoint: Endpoint): string {
    return this.url + this.paths[endpoint];
  }

  requestsTo(endpoint: Endpoint): StandInRequest<Endpoint>[] {
    return this.requests.filter((request) => request.endpoint === endpoint);
  }

  /** Overrides the responses to the next requests to an endpoint, with one responder for each. */
  overrideNext(endpoint: Endpoint, ...responders: Responder[]): this {
    this.nextOverrides.set(endpoint, [...(this.nextOverrides.get(endpoint) ?? []), ...responders]);
    return this;
  }

  /** Holds the requests to an endpoint until `release`. They are recorded when they arrive. */
  hold(endpoint: Endpoint): void {
    if (!this.held.has(endpoint)) this.held.set(endpoint, new Set());
  }

  /** Responds to the held requests. Later requests are no longer held. */
  release(endpoint: Endpoint): void {
    const waiting = this.held.get(endpoint) ?? [];
    this.held.delete(endpoint);
    for (const proceed of waiting) proceed();
  }

  /** Returns the number of held requests to an endpoint whose clients are still connected. */
  countHeld(endpoint: Endpoint): number {
    return this.held.get(endpoint)?.size ?? 0;
  }

  /** Waits until exactly `count` requests to an endpoint are held. */
  async waitForHeld(endpoint: Endpoint, count: number): Promise<void> {
    const what = `${count} held requests to ${this.paths[endpoint]}`;
    await eventually(what, () => this.countHeld(endpoint) === count);
  }

  /** Clears the recorded requests and all overrides, and releases the held requests. */
  reset(): void {
    for (const endpoint of [...this.held.keys()]) this.release(endpoint);
    this.requests.length = 0;
    this.overrides = {};
    this.nextOverrides.clear();
  }

  async stop(): Promise<void> {
    if (!this.server?.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Returns the endpoint at a path. */
  protected findEndpoint(path: string): Endpoint | null {
    const endpoints = Object.keys(this.paths) as Endpoint[];
    return endpoints.find((endpoint) => this.paths[endpoint] === path) ?? null;
  }

  private receive(message: IncomingMessage, response: ServerResponse): void {
    let body = '';
    message.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    message.on('error', () => undefined);
    message.on('end', () => {
      const url = new URL(message.url ?? '', this.url);
      const isForm = message.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
      const request: StandInRequest<Endpoint> = {
        endpoint: this.findEndpoint(url.pathname),
        method: message.method ?? '',
        url,
        headers: message.headers,
        query: Object.fromEntries(url.searchParams),
        form: isForm ? Object.fromEntries(new URLSearchParams(body)) : {},
      };
      this.requests.push(request);
      void this.handle(response, request).catch((error: unknown) =>
        response.writeHead(500).end(String(error)),
      );
    });
  }

  private async handle(response: ServerResponse, request: StandInRequest<Endpoint>): Promise<void> {
    const { endpoint } = request;
    if (endpoint === null) return void response.writeHead(404).end('Not found');
    const held = this.held.get(endpoint);
    if (held)
      await new Promise<void>((proceed) => {
        held.add(proceed);
        response.once('close', () => held.delete(proceed));
      });
    const override = this.nextOverrides.get(endpoint)?.shift() ?? this.overrides[endpoint];
    await (override ? override(response, request) : this.respond(response, { ...request, endpoint }));
  }
}
