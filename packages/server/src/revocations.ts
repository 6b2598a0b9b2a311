/// <reference lib="esnext.disposable" preserve="true" />
import type { AccessTokenClaims } from './access-token-claims.js';
import { CLOCK_TOLERANCE } from './access-token-verifier.js';
import { toSeconds, type Duration } from './duration.js';
import { GatehouseError, unavailableError } from './gatehouse-error.js';
import { toPage } from './pages.js';
import { RevokedSessions, REVOKING_TYPES, type RevokingEvent } from './revoked-sessions.js';
import { TIMING, type Timing } from './timing.js';
import type { Transport } from './transport.js';

export interface RevocationOptions {
  /** Time between two reads of the event feed. Default: `'5s'`. */
  interval?: Duration;
  /**
   * Maximum lifetime of the tokens that may still be valid: the highest `accessTokenTtl` that the project has had
   * recently. Default: `'24h'`, the maximum.
   */
  tokenLifetime?: Duration;
  /** Called with each read error. The read is retried after the interval. Default: `console.error`. */
  onError?: (error: unknown) => void;
}

// oxlint-disable-next-line no-console
const logError = (error: unknown): void => console.error('event feed cannot be read', error);

/** Reads revocations from the event feed, so that tokens of ended sessions are rejected before they expire. */
export class Revocations {
  private readonly interval: number;
  private readonly lifetime: number;
  private readonly onError: (error: unknown) => void;
  private readonly revoked: RevokedSessions;
  private cursor: string | undefined;
  /** The filter that belongs to the cursor. It must not change. */
  private createdAfter: string | undefined;
  private isComplete = false;
  private running: { controller: AbortController; firstRead: Promise<void> } | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly projectId: string,
    { interval = '5s', tokenLifetime = '24h', onError = logError }: RevocationOptions,
    private readonly timing: Timing = TIMING,
  ) {
    this.interval = toSeconds(interval) * 1_000;
    this.lifetime = (toSeconds(tokenLifetime) + CLOCK_TOLERANCE) * 1_000;
    this.onError = onError;
    this.revoked = new RevokedSessions(this.lifetime);
  }

  /**
   * Starts reading the feed. Resolves after the first complete read; until then, tokens cannot be verified.
   * @throws GatehouseError if the secret key is invalid or lacks the `event:read` scope
   */
  start(): Promise<void> {
    if (!this.running) {
      const controller = new AbortController();
      const firstRead = new Promise<void>((resolve, reject) => {
        void this.run(controller.signal, resolve, reject);
      });
      this.running = { controller, firstRead };
    }
    return this.running.firstRead;
  }

  /** Stops reading the feed. Tokens that are known to be revoked are still rejected. */
  stop(): void {
    this.running?.controller.abort();
    this.running = undefined;
  }

  /** Stops reading the feed at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    return Promise.resolve();
  }

  /** Returns true if a token is revoked. @throws GatehouseError `unavailable` before the first complete read */
  isRevoked(claims: AccessTokenClaims): boolean {
    if (!this.isComplete)
      throw unavailableError('The event feed has not been read yet: await revocations().start().');
    return this.revoked.has(claims);
  }

  private async run(
    signal: AbortSignal,
    onRead: () => void,
    onFailure: (error: unknown) => void,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.readToEnd(signal);
        this.isComplete = true;
        onRead();
      } catch (error) {
        if (signal.aborted) break;
        if (!this.isComplete && isPermanent(error)) {
          this.stop();
          return onFailure(error);
        }
        // Starts over, for example after a database restore.
        if (error instanceof GatehouseError && error.code === 'invalid_cursor') this.cursor = undefined;
        this.onError(error);
      }
      await this.timing.wait(this.interval, signal);
    }
    onFailure(unavailableError('The revocations were stopped before the event feed was read.'));
  }

  private async readToEnd(signal: AbortSignal): Promise<void> {
    this.revoked.removeExpired(this.timing.now());
    for (let hasMore = true; hasMore;) {
      if (this.cursor === undefined)
        this.createdAfter = new Date(this.timing.now() - this.lifetime).toISOString();
      const query = {
        types: REVOKING_TYPES.join(','),
        project_id: this.projectId,
        created_after: this.createdAfter,
        limit: 200,
        cursor: this.cursor,
      };
      const page = toPage<RevokingEvent>(await this.transport('GET', '/v1/events', { query, signal }));
      for (const event of page.data) this.revoked.add(event);
      this.cursor = page.nextCursor ?? undefined;
      hasMore = page.hasMore;
    }
  }
}

/** Returns true if an error will persist until the configuration changes. */
const isPermanent = (error: unknown): boolean =>
  !(error instanceof GatehouseError) ||
  (error.status < 500 && error.status !== 429 && error.code !== 'invalid_cursor');
