import { toGatehouseError, GatehouseError } from './gatehouse-error.js';
import type { Platform } from './platform.js';

/** Time limit for a complete response, in milliseconds. */
const DEADLINE = 8_000;
/** Longest Retry-After that the client waits for, in seconds. Longer ones are left to the caller. */
const LONGEST_WAIT = 5;
/** Maximum number of retries after a Retry-After. */
const MAX_RETRIES = 2;

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Sends requests to Gatehouse. */
export class Transport {
  constructor(
    /** Gatehouse's URL without a trailing slash. */
    readonly url: string,
    private readonly publishableKey: string,
    readonly platform: Platform,
    private readonly fetch: typeof globalThis.fetch,
  ) {}

  /**
   * Sends a request, and retries it after a short Retry-After.
   * @param accessToken the customer's token. Without it, the request contains the publishable key
   * @throws GatehouseError
   */
  send<Body>(method: Method, path: string, body?: unknown, accessToken?: string): Promise<Body> {
    return this.retry(() => this.sendOnce<Body>(method, path, body, accessToken));
  }

  /** Calls a function up to three times, as long as it fails with a Retry-After of at most five seconds. */
  async retry<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await work();
      } catch (error) {
        const { retryAfter } = error as Partial<GatehouseError>;
        if (retries === MAX_RETRIES || !retryAfter || retryAfter > LONGEST_WAIT) throw error;
        await new Promise<void>((resolve) => this.platform.startTimer(resolve, retryAfter * 1_000));
      }
    }
  }

  /** Sends a request once. @throws GatehouseError `network_error` or `timeout` if there is no complete response */
  async sendOnce<Body>(method: Method, path: string, body?: unknown, accessToken?: string): Promise<Body> {
    // React Native has no AbortSignal.timeout().
    const controller = new AbortController();
    let isLate = false;
    const cancelTimer = this.platform.startTimer(() => {
      isLate = true;
      controller.abort();
    }, DEADLINE);
    try {
      const headers: Record<string, string> = accessToken
        ? { Authorization: `Bearer ${accessToken}` }
        : { 'X-Publishable-Key': this.publishableKey };
      if (body !== undefined) headers['Content-Type'] = 'application/json';
      const response = await this.fetch(`${this.url}/api/v1${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: controller.signal,
      });
      const text = await response.text();
      if (!response.ok) throw toGatehouseError(response, parse(text));
      // Throws for a captive portal, which returns HTML with status 200.
      return (text ? JSON.parse(text) : undefined) as Body;
    } catch (error) {
      if (error instanceof GatehouseError) throw error;
      throw isLate
        ? new GatehouseError('timeout', 'Gatehouse did not respond in time', { cause: error })
        : new GatehouseError('network_error', 'Gatehouse cannot be reached', { cause: error });
    } finally {
      cancelTimer();
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
