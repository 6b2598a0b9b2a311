import { endsSession, GatehouseError, isLost } from './gatehouse-error.js';
import {
  isLive,
  isNewer,
  sessionIdOf,
  tokenFields,
  type LiveRecord,
  type SessionRecord,
} from './session-record.js';
import type { SessionStore } from './session-store.js';
import type { Method, Transport } from './transport.js';
import type { AccessTokenResponse, CustomerSummary, RefreshResponse, Tokens } from './types.js';

/** Access tokens are refreshed this many milliseconds before they expire. */
const REFRESH_AHEAD = 30_000;
/**
 * Minimum age of a refresh token before it is used, in milliseconds. Longer than the request deadline, so that a
 * refresh that another tab started with the previous token ends before that token is two generations old. Also limits
 * the number of refreshes if an API always responds with 401.
 */
const MINIMUM_AGE = 10_000;
/** Maximum wait for the Web Lock, in milliseconds. The lock saves requests; correctness does not depend on it. */
const LOCK_WAIT = 5_000;

/**
 * Starts, refreshes and ends the session. For the previous refresh token, Gatehouse returns the same successor until
 * that successor is used; if an older token is used, Gatehouse ends the session. Any number of tabs can therefore
 * refresh with the same token concurrently, as long as none uses a token that is two generations old.
 */
export class SessionManager {
  private refreshing: Promise<LiveRecord | null> | undefined;

  constructor(
    readonly transport: Transport,
    readonly store: SessionStore,
    private readonly lockName: string,
  ) {}

  /** Stores the tokens from a sign-in, replacing any other session. @param sentAt when the request was sent */
  async begin(tokens: Tokens, customer: CustomerSummary, sentAt: number): Promise<void> {
    const latest = await this.store.read();
    const receivedAt = this.now();
    await this.store.put({
      epoch: Math.max(receivedAt, (latest?.epoch ?? 0) + 1),
      sid: sessionIdOf(tokens.accessToken),
      generation: 0,
      customer,
      ...tokenFields(tokens, sentAt, receivedAt),
    });
  }

  /** Ends the session of a record in all tabs. @param reason the error code that ended it */
  async end({ epoch, sid }: SessionRecord, reason?: string): Promise<void> {
    await this.store.put({ epoch, sid, ended: true, ...(reason ? { reason } : {}) });
  }

  /** Replaces the access token after a reauthentication. @param sentAt when the request was sent */
  async replaceAccessToken({ accessToken, expiresIn }: AccessTokenResponse, sentAt: number): Promise<void> {
    const record = this.store.current;
    if (!isLive(record) || record.sid !== sessionIdOf(accessToken)) return;
    await this.store.put({ ...record, accessToken, expiresAt: sentAt + expiresIn * 1_000 });
  }

  /**
   * Returns an access token, or null if no customer is signed in. Refreshes a token that expires within 30 seconds.
   * While Gatehouse cannot be reached, returns the current token until it expires.
   * @throws GatehouseError if the token has expired and Gatehouse cannot be reached
   */
  async accessToken(): Promise<string | null> {
    const session = await this.store.session();
    if (!session || session.expiresAt - this.now() > REFRESH_AHEAD) return session?.accessToken ?? null;
    try {
      return (await this.refresh())?.accessToken ?? null;
    } catch (error) {
      const latest = await this.store.session();
      if (endsSession(error) || !latest) return null;
      if (latest.expiresAt > this.now()) return latest.accessToken;
      throw error;
    }
  }

  /**
   * Returns a replacement for a token that was rejected with 401, or null if there is none.
   * @throws GatehouseError if the refresh fails
   */
  async replaceRejected(rejected: string): Promise<string | null> {
    const session = await this.store.session();
    const latest = session && session.accessToken !== rejected ? session : await this.refresh();
    return latest && latest.accessToken !== rejected ? latest.accessToken : null;
  }

  /**
   * Calls Gatehouse with the customer's access token.
   * @throws GatehouseError `signed_out` if no customer is signed in
   */
  async call<Body>(method: Method, path: string, body?: unknown): Promise<Body> {
    const token = await this.accessToken();
    if (!token) throw this.signedOut();
    const send = (accessToken: string) => this.transport.send<Body>(method, path, body, accessToken);
    try {
      return await send(token);
    } catch (error) {
      // Other codes with status 401 do not require a refresh: `invalid_credentials` means that a password was wrong.
      if (!(error instanceof GatehouseError) || error.code !== 'invalid_access_token') throw error;
      const other = await this.replaceRejected(token);
      if (!other) throw error;
      return send(other);
    }
  }

  /** Returns the time in milliseconds since 1970. */
  now(): number {
    return this.transport.platform.now();
  }

  private signedOut(): GatehouseError {
    const record = this.store.current;
    const reason = record && !isLive(record) ? record.reason : undefined;
    return new GatehouseError(reason ?? 'signed_out', 'No customer is signed in', { status: 401 });
  }

  /** Refreshes once for all concurrent callers. Returns the newest session, or null. */
  private refresh(): Promise<LiveRecord | null> {
    const known = this.store.current;
    this.refreshing ??= this.withLock(() => this.transport.retry(() => this.refreshOnce(known))).finally(
      () => (this.refreshing = undefined),
    );
    return this.refreshing;
  }

  /** Refreshes the session unless another tab already has. @param known the record before the wait for the lock */
  private async refreshOnce(known: SessionRecord | null, isRepeated = false): Promise<LiveRecord | null> {
    const record = await this.store.read();
    if (!isLive(record)) return null;
    const now = this.now();
    const age = now - record.obtainedAt;
    const isExpired = record.expiresAt <= now;
    // A negative age means that the clock was set back, so the age of the token is unknown.
    if (!isExpired && age >= 0 && age < MINIMUM_AGE) return record;
    if (record !== known && isNewer(record, known) && record.expiresAt - now > REFRESH_AHEAD) return record;
    try {
      return await this.exchange(record);
    } catch (error) {
      // If the response was lost, the token may be spent, but Gatehouse returns the same successor for it.
      if (isLost(error) && !isRepeated) return this.refreshOnce(record, true);
      if (!endsSession(error)) throw error;
      return this.reject(record, error);
    }
  }

  private async exchange(record: LiveRecord): Promise<LiveRecord | null> {
    const sentAt = this.now();
    const { refreshToken } = record;
    const { tokens, customer } = await this.transport.sendOnce<RefreshResponse>('POST', '/auth/refresh', {
      refreshToken,
    });
    await this.store.put({
      ...record,
      generation: record.generation + 1,
      customer,
      ...tokenFields(tokens, sentAt, this.now()),
    });
    return this.store.session();
  }

  /** Ends the session after a rejected refresh, unless another tab has stored a newer record. */
  private async reject(record: LiveRecord, error: GatehouseError): Promise<LiveRecord | null> {
    const latest = await this.store.read();
    if (latest && isNewer(latest, record)) return isLive(latest) ? latest : null;
    await this.end(record, error.code);
    throw error;
  }

  /**
   * Runs a function while holding a Web Lock that all tabs share. Runs it without the lock after five seconds, because
   * a frozen tab may hold it.
   */
  private async withLock<Result>(work: () => Promise<Result>): Promise<Result> {
    const { locks, startTimer } = this.transport.platform;
    if (!locks || !this.store.isShared) return work();
    const waiting = new AbortController();
    const cancelTimer = startTimer(() => waiting.abort(), LOCK_WAIT);
    let isStarted = false;
    try {
      return await locks.request(this.lockName, { signal: waiting.signal }, () => {
        isStarted = true;
        cancelTimer();
        return work();
      });
    } catch (error) {
      if (isStarted) throw error;
      return await work();
    } finally {
      cancelTimer();
    }
  }
}
