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

/** Milliseconds before its expiry at which an access token is replaced. */
const REFRESH_AHEAD = 30_000;
/**
 * Milliseconds for which a new refresh token is not used. It exceeds the request deadline: a refresh that another tab
 * has begun with the previous token ends before that token is two generations old. It also limits the refreshes caused
 * by an API that always responds with 401.
 */
const MINIMUM_AGE = 10_000;
/** Milliseconds to wait for the Web Lock. It saves requests; correctness does not depend on it. */
const LOCK_WAIT = 5_000;

/**
 * Opens, refreshes and ends the session. Gatehouse returns the same successor to the previous refresh token until that
 * successor is used, and ends the session when an older token is used. Any number of tabs can therefore refresh with the
 * same token at the same time, as long as none uses a token that is two generations old.
 */
export class SessionManager {
  private refreshing: Promise<LiveRecord | null> | undefined;

  constructor(
    readonly transport: Transport,
    readonly store: SessionStore,
    private readonly lockName: string,
  ) {}

  /** Stores the tokens from a sign-in, in place of any other session. @param sentAt the request's time */
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

  /** Ends a record's session in all tabs. @param reason the error code that ended it */
  async end({ epoch, sid }: SessionRecord, reason?: string): Promise<void> {
    await this.store.put({ epoch, sid, ended: true, ...(reason ? { reason } : {}) });
  }

  /** Replaces the access token after a proof of identity. @param sentAt the request's time */
  async replaceAccessToken({ accessToken, expiresIn }: AccessTokenResponse, sentAt: number): Promise<void> {
    const record = this.store.current;
    if (!isLive(record) || record.sid !== sessionIdOf(accessToken)) return;
    await this.store.put({ ...record, accessToken, expiresAt: sentAt + expiresIn * 1_000 });
  }

  /**
   * Returns an access token, or null if no customer is signed in. It replaces a token that expires within 30 seconds.
   * While Gatehouse cannot be reached, it returns the token until it expires.
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
   * Returns a token in place of one that was rejected with 401, or null if there is no other one.
   * @throws GatehouseError if the refresh fails
   */
  async replaceRejected(rejected: string): Promise<string | null> {
    const session = await this.store.session();
    const latest = session && session.accessToken !== rejected ? session : await this.refresh();
    return latest && latest.accessToken !== rejected ? latest.accessToken : null;
  }

  /** Calls Gatehouse with the customer's access token. @throws GatehouseError `signed_out` if there is none */
  async call<Body>(method: Method, path: string, body?: unknown): Promise<Body> {
    const token = await this.accessToken();
    if (!token) throw this.signedOut();
    const send = (accessToken: string) => this.transport.send<Body>(method, path, body, accessToken);
    try {
      return await send(token);
    } catch (error) {
      // Other codes with status 401 need no refresh: `invalid_credentials` means that a password was wrong.
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

  /** Refreshes once for all callers. Returns the newest session, or null. */
  private refresh(): Promise<LiveRecord | null> {
    const known = this.store.current;
    this.refreshing ??= this.withLock(() => this.transport.retry(() => this.refreshOnce(known))).finally(
      () => (this.refreshing = undefined),
    );
    return this.refreshing;
  }

  /** Refreshes unless it is unnecessary, because another tab has done so. @param known the record before the wait */
  private async refreshOnce(known: SessionRecord | null, isRepeated = false): Promise<LiveRecord | null> {
    const record = await this.store.read();
    if (!isLive(record)) return null;
    const now = this.now();
    const age = now - record.obtainedAt;
    const isExpired = record.expiresAt <= now;
    // A negative age means that the clock was set back. Such an age contains no information about the token.
    if (!isExpired && age >= 0 && age < MINIMUM_AGE) return record;
    if (record !== known && isNewer(record, known) && record.expiresAt - now > REFRESH_AHEAD) return record;
    try {
      return await this.exchange(record);
    } catch (error) {
      // Without a response, the token may be used up. Gatehouse then returns the same successor again.
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

  /** Ends the session after a rejected refresh, unless another tab has a newer record. */
  private async reject(record: LiveRecord, error: GatehouseError): Promise<LiveRecord | null> {
    const latest = await this.store.read();
    if (latest && isNewer(latest, record)) return isLive(latest) ? latest : null;
    await this.end(record, error.code);
    throw error;
  }

  /** Runs a function alone among the tabs, or after five seconds in any case: a frozen tab may hold the lock. */
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
