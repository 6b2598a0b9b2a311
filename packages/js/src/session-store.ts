import type { Platform, TabChannel } from './platform.js';
import { isLive, isNewer, parseRecord, type LiveRecord, type SessionRecord } from './session-record.js';
import type { ClientStorage } from './storage.js';
import type { AuthState } from './types.js';

/**
 * Keeps the newest record in memory and in the storage. Changes to localStorage and messages reach other tabs with a
 * delay and in any order, so each incoming record is compared with the one in memory, and the newer one is kept.
 */
export class SessionStore {
  private newest: SessionRecord | null = null;
  private readonly channel: TabChannel | undefined;
  private readonly listeners = new Set<(state: AuthState) => void>();
  private announced: string | undefined;
  private writing = Promise.resolve();

  constructor(
    private readonly storage: ClientStorage,
    private readonly key: string,
    platform: Platform,
  ) {
    if (!storage.isShared) return;
    this.channel = platform.openChannel?.(key, (message) => void this.receive(message));
    platform.onStorageChange?.(key, (value) => void this.receive(value));
    platform.onVisible?.(() => void this.read());
  }

  /** True if other tabs use the same session. */
  get isShared(): boolean {
    return this.storage.isShared === true;
  }

  /** The newest record received so far, or null. */
  get current(): SessionRecord | null {
    return this.newest;
  }

  /** Reads the storage, and returns the newest record. */
  async read(): Promise<SessionRecord | null> {
    await this.receive(await this.readText());
    return this.newest;
  }

  /** Returns the active session from memory, or from the storage if this tab has not read it yet. */
  async session(): Promise<LiveRecord | null> {
    const record = this.newest ?? (await this.read());
    return isLive(record) ? record : null;
  }

  /** Stores a record and announces it, unless a newer one has arrived in the meantime. */
  async put(record: SessionRecord): Promise<void> {
    if (!this.adopt(record)) return;
    this.channel?.post(JSON.stringify(record));
    await this.write();
  }

  /** Calls the listener with the current state and after each change. Returns a function that unsubscribes. */
  subscribe(listener: (state: AuthState) => void): () => void {
    let isActive = true;
    // Wraps the listener, so that one that is added twice is called twice.
    const own = (state: AuthState) => {
      if (isActive) listener(state);
    };
    void this.session().then(() => {
      this.announced ??= JSON.stringify(this.state());
      this.listeners.add(own);
      notify(own, this.state());
    });
    return () => {
      isActive = false;
      this.listeners.delete(own);
    };
  }

  private async receive(text: string | null): Promise<void> {
    const record = parseRecord(text);
    if (record && this.adopt(record)) return;
    // The sender or the storage has an outdated record. Replaces it, because a new tab would use its spent refresh
    // token.
    if (!this.newest || (record && !isNewer(this.newest, record))) return;
    if (record) this.channel?.post(JSON.stringify(this.newest));
    await this.write();
  }

  private adopt(record: SessionRecord): boolean {
    if (!isNewer(record, this.newest)) return false;
    this.newest = record;
    const state = this.state();
    const text = JSON.stringify(state);
    if (this.announced !== undefined && text !== this.announced) {
      this.announced = text;
      for (const listener of this.listeners) notify(listener, state);
    }
    return true;
  }

  private state(): AuthState {
    const record = this.newest;
    if (isLive(record)) return { status: 'signed_in', customer: record.customer, sessionId: record.sid };
    return { status: 'signed_out', customer: null, ...(record?.reason ? { reason: record.reason } : {}) };
  }

  private async readText(): Promise<string | null> {
    try {
      return await this.storage.getItem(this.key);
    } catch {
      return null; // A storage failure must not sign the customer out.
    }
  }

  /** Writes the newest record after all pending writes: the last write determines what a new tab reads. */
  private write(): Promise<void> {
    this.writing = this.writing.then(async () => {
      try {
        await this.storage.setItem(this.key, JSON.stringify(this.newest));
      } catch {
        await this.removeOutdated();
      }
    });
    return this.writing;
  }

  /**
   * Removes the outdated record from storage that is full: a new tab would use its spent refresh token and end the
   * session.
   */
  private async removeOutdated(): Promise<void> {
    try {
      await this.storage.removeItem(this.key);
    } catch {
      // The session continues in memory.
    }
  }
}

/** Calls a listener asynchronously, so that its errors cannot interrupt the client. */
function notify(listener: (state: AuthState) => void, state: AuthState): void {
  void Promise.resolve(state).then(listener);
}
