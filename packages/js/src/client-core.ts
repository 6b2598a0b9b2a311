import { GatehouseError, isLost } from './gatehouse-error.js';
import type { Platform } from './platform.js';
import { SessionManager } from './session-manager.js';
import { base64Alphabet } from './session-record.js';
import { SessionStore } from './session-store.js';
import { browserStorage, memoryStorage, type ClientStorage } from './storage.js';
import { Transport } from './transport.js';
import type { AccessTokenResponse, AuthResponse, SignInResult } from './types.js';

/** A source of random bytes, such as `globalThis.crypto`. */
export interface RandomSource {
  getRandomValues(array: Uint8Array<ArrayBuffer>): unknown;
}

export interface ClientOptions {
  /** Gatehouse's URL, such as `https://auth.example.com`. */
  url: string;
  /** The project's publishable key, `pk_…`. */
  publishableKey: string;
  /** The project's id. Only `signInUrl()` requires it. */
  projectId?: string;
  /** The storage for the tokens. Default: `memoryStorage()`. */
  storage?: ClientStorage;
  /** The storage key for the tokens, for several clients on one origin. Default: `gatehouse.session`. */
  storageKey?: string;
  /** Additional origins to which `client.fetch` sends the access token, such as `https://api.example.com`. */
  apiOrigins?: string[];
  /** The source of random bytes. Default: `globalThis.crypto`. */
  crypto?: RandomSource;
  /** Sends all requests. Default: `globalThis.fetch`. */
  fetch?: typeof globalThis.fetch;
}

/**
 * The core that all parts of a client share. The parts that are loaded on demand import only types from the core, so
 * that bundlers do not split the core into several files.
 */
export class ClientCore {
  /**
   * Stores the flows that leave the page. They cannot be kept in memory: it is lost when the page unloads, and an
   * emailed link opens in another tab. The stored values are useless without the code from the redirect.
   */
  readonly flowStorage: ClientStorage;
  readonly isLost = isLost;
  readonly base64Alphabet = base64Alphabet;
  readonly store: SessionStore;
  readonly transport: Transport;
  readonly manager: SessionManager;
  readonly fetch: typeof globalThis.fetch;

  constructor(
    readonly options: ClientOptions,
    readonly platform: Platform,
  ) {
    const { publishableKey, storage = memoryStorage(), storageKey = 'gatehouse.session', fetch } = options;
    const url = options.url.replace(/\/+$/, '');
    // Browsers require fetch to be called on the global object.
    this.fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.flowStorage = browserStorage() ?? storage;
    this.store = new SessionStore(storage, storageKey, platform);
    this.transport = new Transport(url, publishableKey, platform, this.fetch);
    this.manager = new SessionManager(this.transport, this.store, storageKey);
  }

  /** Creates an error with a client code. */
  error(code: string, message: string, cause?: unknown): GatehouseError {
    return new GatehouseError(code, message, { cause });
  }

  /** Sends a request without a session. @throws GatehouseError */
  post<Body>(path: string, body?: unknown): Promise<Body> {
    return this.transport.send<Body>('POST', path, body);
  }

  /** Sends a request that can sign a customer in, and stores the tokens from the response. @throws GatehouseError */
  async signIn(path: string, body: unknown): Promise<SignInResult> {
    const sentAt = this.platform.now();
    const { tokens, customer, challenge, recoveryCodes } = await this.post<Partial<AuthResponse>>(path, body);
    if (challenge) return { status: challenge.kind, challenge };
    if (!tokens || !customer) return { status: 'verify_email', ...(customer ? { customer } : {}) };
    await this.manager.begin(tokens, customer, sentAt);
    return { status: 'complete', customer, ...(recoveryCodes ? { recoveryCodes } : {}) };
  }

  /** Reauthenticates the customer, and stores the new access token. @throws GatehouseError */
  async reauthenticate(path: string, body: unknown): Promise<void> {
    const sentAt = this.platform.now();
    const response = await this.manager.call<AccessTokenResponse>('POST', `/me/reauthenticate${path}`, body);
    await this.manager.replaceAccessToken(response, sentAt);
  }
}
