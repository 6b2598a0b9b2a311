import { setImmediate } from 'node:timers/promises';
import type { Platform } from './platform.js';
import { SessionManager } from './session-manager.js';
import { SessionStore } from './session-store.js';
import { memoryStorage, type ClientStorage } from './storage.js';
import { Transport } from './transport.js';
import type { AuthState, CustomerSummary, Tokens } from './types.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const KEY = 'gatehouse.session';
const customer: CustomerSummary = {
  id: 'cus_1',
  email: 'ada@example.com',
  firstName: null,
  lastName: null,
  emailVerified: true,
};

/** A clock that advances only when the test advances it. */
class SimulatedClock {
  time = 1_700_000_000_000;
  private readonly timers = new Set<{ at: number; callback: () => void }>();

  startTimer = (callback: () => void, ms: number): (() => void) => {
    const timer = { at: this.time + ms, callback };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  };

  wait = (ms: number): Promise<void> => new Promise((resolve) => this.startTimer(resolve, ms));

  /** Advances the clock by `ms` milliseconds, and runs the timers that are due in order. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await setImmediate();
      const [next] = [...this.timers].sort((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      this.timers.delete(next);
      this.time = next.at;
      next.callback();
    }
    this.time = end;
  }

  /** Advances the clock until a promise is settled. */
  async finish<Result>(work: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const settle = () => (isSettled = true);
    work.then(settle, settle);
    for (let steps = 0; !isSettled && steps < 10_000; steps += 1) await this.advance(100);
    return work;
  }
}

/**
 * The state of the network, which determines whether a request reaches the server and whether the response arrives. A
 * number is the error status of the response.
 */
type Network = 'up' | 'offline' | 'response lost' | 'hangs' | number;

/** A server that rotates refresh tokens like Gatehouse with `refreshGrace: until_used`. */
class FakeServer {
  private readonly sessions = new Map<string, { generation: number; revokedBy?: string }>();
  private accessTokens = 0;
  /** The outcomes of the next requests. Later requests use `network`. */
  readonly next: Network[] = [];
  network: Network = 'up';
  refreshes = 0;
  /** Latency in each direction, in milliseconds. */
  latency = () => 50;

  constructor(private readonly clock: SimulatedClock) {}

  signIn(sid: string): Tokens {
    this.sessions.set(sid, { generation: 0 });
    return this.tokens(sid, 0);
  }

  revoke(sid: string, code: string): void {
    this.sessions.get(sid)!.revokedBy = code;
  }

  stateOf(sid: string): { generation: number; revokedBy?: string } {
    return this.sessions.get(sid)!;
  }

  fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const outcome = this.next.shift() ?? this.network;
    const { signal, body } = init!;
    const aborted = new Promise<never>((_, reject) =>
      signal!.addEventListener('abort', () => reject(new Error('aborted'))),
    );
    if (outcome === 'offline') throw new TypeError('fetch failed');
    if (outcome === 'hangs') return aborted;
    await Promise.race([this.clock.wait(this.latency()), aborted]);
    this.refreshes += 1;
    const response =
      typeof outcome === 'number'
        ? new Response('{}', { status: outcome })
        : this.refresh((JSON.parse(body as string) as { refreshToken: string }).refreshToken);
    await Promise.race([this.clock.wait(this.latency()), aborted]);
    if (outcome === 'response lost') throw new TypeError('connection reset');
    return response;
  };

  private refresh(token: string): Response {
    const [sid, generation] = token.split('.');
    const session = this.sessions.get(sid!)!;
    const presented = Number(generation);
    if (session.revokedBy) return Response.json({ code: session.revokedBy }, { status: 401 });
    if (presented === session.generation) session.generation += 1;
    else if (presented !== session.generation - 1) {
      session.revokedBy = 'refresh_token_reused';
      return Response.json({ code: 'refresh_token_reused' }, { status: 401 });
    }
    return Response.json({ tokens: this.tokens(sid!, session.generation), customer });
  }

  private tokens(sid: string, generation: number): Tokens {
    const claims = Buffer.from(JSON.stringify({ sid, n: (this.accessTokens += 1) })).toString('base64url');
    return { accessToken: `h.${claims}.s`, expiresIn: 3_600, refreshToken: `${sid}.${generation}` };
  }
}

/** The Web Locks of an origin. `hold()` simulates a frozen tab that holds the lock. */
class FakeLocks {
  private readonly waiting: { start: () => void; reject: (error: Error) => void }[] = [];
  private isHeld = false;

  constructor(private readonly clock: SimulatedClock) {}

  request = (async (_name: string, { signal }: LockOptions, work: () => Promise<unknown>) => {
    if (this.isHeld)
      await new Promise<void>((start, reject) => {
        const entry = { start, reject };
        this.waiting.push(entry);
        signal!.addEventListener('abort', () => {
          this.waiting.splice(this.waiting.indexOf(entry), 1);
          reject(new Error('aborted'));
        });
      });
    this.isHeld = true;
    try {
      return await work();
    } finally {
      this.release();
    }
  }) as LockManager['request'];

  hold(): void {
    this.isHeld = true;
  }

  private release(): void {
    const next = this.waiting.shift();
    this.isHeld = next !== undefined;
    // Browsers grant a lock through a message between processes.
    if (next) this.clock.startTimer(next.start, 50);
  }
}

interface Tab {
  manager: SessionManager;
  store: SessionStore;
  /** This tab's copy of localStorage. */
  items: Map<string, string>;
  states: AuthState[];
  kill: () => void;
}

/**
 * An origin with tabs. Each tab has its own copy of localStorage, which receives writes from other tabs with a delay.
 */
class FakeOrigin {
  readonly clock = new SimulatedClock();
  readonly server = new FakeServer(this.clock);
  readonly tabs = new Set<Tab>();
  /** The storage that a new tab reads. */
  private readonly disk = new Map<string, string>();
  locks: FakeLocks | undefined;
  hasChannel = true;
  hasStorageEvents = true;
  isFull = false;
  /** Milliseconds until a write or a message reaches another tab. */
  propagation = () => 20;
  private readonly inboxes = new Map<
    Tab,
    { message: (text: string) => void; storage: (text: string) => void }
  >();

  open(): Tab {
    const tab = { items: new Map(this.disk), states: [] as AuthState[] } as unknown as Tab;
    const inbox = { message: (_: string) => {}, storage: (_: string) => {} };
    this.inboxes.set(tab, inbox);
    const isAlive = () => this.tabs.has(tab);
    const platform: Platform = {
      now: () => this.clock.time,
      startTimer: (callback, ms) => this.clock.startTimer(() => isAlive() && callback(), ms),
      locks: this.locks,
      onStorageChange: (_, receive) => (inbox.storage = receive),
    };
    if (this.hasChannel)
      platform.openChannel = (_, receive) => {
        inbox.message = receive;
        return { post: (text) => this.deliver(tab, (other) => this.inboxes.get(other)!.message(text)) };
      };
    const fetch = (url: unknown, init?: RequestInit): Promise<Response> =>
      new Promise((resolve, reject) => {
        const settle = (work: () => void) => isAlive() && work();
        this.server.fetch(url, init).then(
          (response) => settle(() => resolve(response)),
          (error: Error) => settle(() => reject(error)),
        );
      });
    tab.store = new SessionStore(this.storageOf(tab), KEY, platform);
    const transport = new Transport('https://auth.example.com', 'pk', platform, fetch);
    tab.manager = new SessionManager(transport, tab.store, KEY);
    tab.kill = () => this.tabs.delete(tab);
    tab.store.subscribe((state) => tab.states.push(state));
    this.tabs.add(tab);
    return tab;
  }

  /** Opens a tab with a new session. */
  async openSignedIn(sid = 'ses_1'): Promise<Tab> {
    const tab = this.open();
    await tab.manager.begin(this.server.signIn(sid), customer, this.clock.time);
    await this.clock.advance(SECOND);
    return tab;
  }

  private storageOf(tab: Tab): ClientStorage {
    return {
      isShared: true,
      getItem: (key) => tab.items.get(key) ?? null,
      setItem: (key, value) => {
        if (this.isFull) throw new Error('the quota has been exceeded');
        tab.items.set(key, value);
        this.disk.set(key, value);
        this.deliver(tab, (other) => {
          other.items.set(key, value);
          if (this.hasStorageEvents) this.inboxes.get(other)!.storage(value);
        });
      },
      removeItem: (key) => {
        tab.items.delete(key);
        this.disk.delete(key);
      },
    };
  }

  private deliver(sender: Tab, work: (other: Tab) => void): void {
    for (const other of this.tabs)
      if (other !== sender)
        this.clock.startTimer(() => this.tabs.has(other) && work(other), this.propagation());
  }
}

const statusesOf = ({ states }: Tab): string[] => states.map(({ status }) => status);

describe('SessionManager', () => {
  let origin: FakeOrigin;
  beforeEach(() => (origin = new FakeOrigin()));

  const accessToken = ({ manager }: Tab): Promise<string | null> =>
    origin.clock.finish(manager.accessToken());
  const expectContinued = (generation: number): void =>
    expect(origin.server.stateOf('ses_1')).toEqual({ generation });

  it('uses a token until 30 seconds before it expires, then refreshes once for all callers', async () => {
    const tab = await origin.openSignedIn();
    const first = await accessToken(tab);
    await origin.clock.advance(HOUR - 60 * SECOND);
    expect(await accessToken(tab)).toBe(first);
    await origin.clock.advance(35 * SECOND);
    const calls = Promise.all([1, 2, 3].map(() => tab.manager.accessToken()));
    const tokens = new Set(await origin.clock.finish(calls));
    expect(tokens.size).toBe(1);
    expect(tokens).not.toContain(first);
    expect(origin.server.refreshes).toBe(1);
    expectContinued(1);
  });

  for (const withLocks of [true, false])
    it(`keeps one chain when 20 tabs refresh at the same time ${withLocks ? 'with' : 'without'} Web Locks`, async () => {
      if (withLocks) origin.locks = new FakeLocks(origin.clock);
      const first = await origin.openSignedIn();
      const tabs = [first, ...Array.from({ length: 19 }, () => origin.open())];
      for (let round = 1; round <= 3; round += 1) {
        await origin.clock.advance(HOUR);
        const tokens = await origin.clock.finish(
          Promise.all(tabs.map(({ manager }) => manager.accessToken())),
        );
        expect(tokens).not.toContain(null);
        expectContinued(round);
        expect(origin.server.refreshes).toBe(withLocks ? round : 20 * round);
      }
    });

  it('refreshes after five seconds while a frozen tab holds the lock', async () => {
    origin.locks = new FakeLocks(origin.clock);
    const tab = await origin.openSignedIn();
    await origin.clock.advance(HOUR);
    origin.locks.hold();
    const token = tab.manager.accessToken();
    await origin.clock.advance(4 * SECOND);
    expect(origin.server.refreshes).toBe(0);
    expect(await origin.clock.finish(token)).not.toBeNull();
    expectContinued(1);
  });

  it('continues in another tab after a tab was closed during a refresh', async () => {
    const closed = await origin.openSignedIn();
    const other = origin.open();
    await origin.clock.advance(HOUR);
    void closed.manager.accessToken();
    await origin.clock.advance(60);
    expectContinued(1);
    closed.kill();
    expect(await accessToken(other)).not.toBeNull();
    await origin.clock.advance(HOUR);
    expect(await accessToken(other)).not.toBeNull();
    expectContinued(2);
  });

  it('repeats a refresh immediately when its response is lost', async () => {
    const tab = await origin.openSignedIn();
    await origin.clock.advance(HOUR);
    origin.server.next.push('response lost');
    expect(await accessToken(tab)).not.toBeNull();
    expect(origin.server.refreshes).toBe(2);
    expectContinued(1);
  });

  it('repeats a refresh in a new tab two hours after its response was lost', async () => {
    const tab = await origin.openSignedIn();
    await origin.clock.advance(HOUR);
    origin.server.next.push('response lost', 'hangs');
    await expect(accessToken(tab)).rejects.toMatchObject({ code: 'timeout', status: 0 });
    await origin.clock.advance(2 * HOUR);
    tab.kill();
    expect(await accessToken(origin.open())).not.toBeNull();
    expectContinued(1);
  });

  it('stays signed in during failures, and returns the token until it expires', async () => {
    const failures: Record<string, Network> = {
      offline: 'offline',
      hangs: 'hangs',
      500: 500,
      503: 503,
      429: 429,
      401: 401,
    };
    const outcomes: Record<string, unknown> = {};
    for (const [name, network] of Object.entries(failures)) {
      origin = new FakeOrigin();
      const tab = await origin.openSignedIn();
      const token = await accessToken(tab);
      await origin.clock.advance(HOUR - 29 * SECOND);
      origin.server.network = network;
      const early = await accessToken(tab);
      await origin.clock.advance(HOUR);
      const error = await accessToken(tab).catch(({ code, status }) => [code, status]);
      origin.server.network = 'up';
      const late = await accessToken(tab);
      outcomes[name] = [early === token, error, typeof late, statusesOf(tab), origin.server.stateOf('ses_1')];
    }
    const rest = ['string', ['signed_in'], { generation: 1 }];
    const status = (value: number) => [true, ['unknown', value], ...rest];
    expect(outcomes).toEqual({
      offline: [true, ['network_error', 0], ...rest],
      hangs: [true, ['timeout', 0], ...rest],
      500: status(500),
      503: status(503),
      429: status(429),
      // From a proxy: the body has no code.
      401: status(401),
    });
  });

  it('signs out in all tabs when a refresh is rejected because the session has ended', async () => {
    const codes = [
      'invalid_refresh_token',
      'refresh_token_expired',
      'refresh_token_reused',
      'reauthentication_required',
    ];
    const outcomes: unknown[] = [];
    for (const code of codes) {
      origin = new FakeOrigin();
      const tab = await origin.openSignedIn();
      const other = origin.open();
      await origin.clock.advance(HOUR);
      origin.server.revoke('ses_1', code);
      outcomes.push(await accessToken(tab));
      await origin.clock.advance(SECOND);
      for (const { states } of [tab, other])
        expect(states.at(-1)).toEqual({ status: 'signed_out', customer: null, reason: code });
      expect(await accessToken(origin.open())).toBeNull();
      await expect(tab.manager.call('GET', '/me')).rejects.toMatchObject({ code, status: 401 });
    }
    expect(outcomes).toEqual(codes.map(() => null));
  });

  it("uses another tab's session when its own refresh is rejected", async () => {
    const tab = await origin.openSignedIn('ses_1');
    const other = origin.open();
    await origin.clock.advance(HOUR);
    origin.server.revoke('ses_1', 'invalid_refresh_token');
    const token = tab.manager.accessToken();
    await origin.clock.advance(60);
    await other.manager.begin(origin.server.signIn('ses_2'), customer, origin.clock.time);
    expect(await origin.clock.finish(token)).toBe(await accessToken(other));
    expect(tab.states.at(-1)).toMatchObject({ status: 'signed_in', sessionId: 'ses_2' });
  });

  it('ignores an outdated copy in the storage and repairs it', async () => {
    const tab = await origin.openSignedIn();
    const outdated = tab.items.get(KEY)!;
    for (let hour = 1; hour <= 2; hour += 1) {
      await origin.clock.advance(HOUR);
      await accessToken(tab);
    }
    const newest = tab.items.get(KEY);
    await origin.clock.advance(HOUR);
    tab.items.set(KEY, outdated);
    await tab.store.read();
    await origin.clock.advance(SECOND);
    expect(tab.items.get(KEY)).toBe(newest);
    tab.items.set(KEY, outdated);
    expect(await accessToken(tab)).not.toBeNull();
    expectContinued(3);
  });

  it('reads the storage before a refresh, because changes to it may not be announced', async () => {
    origin.hasChannel = false;
    origin.hasStorageEvents = false;
    const tab = await origin.openSignedIn();
    const other = origin.open();
    await accessToken(other);
    for (let hour = 1; hour <= 2; hour += 1) {
      await origin.clock.advance(HOUR);
      await accessToken(tab);
    }
    await origin.clock.advance(SECOND);
    expect(await accessToken(other)).toBe(await accessToken(tab));
    expectContinued(2);
  });

  it('corrects a tab that announces an outdated record', async () => {
    origin.hasChannel = false;
    const tab = await origin.openSignedIn();
    const outdated = tab.items.get(KEY)!;
    const other = origin.open();
    for (let hour = 1; hour <= 2; hour += 1) {
      await origin.clock.advance(HOUR);
      await accessToken(tab);
    }
    await origin.clock.advance(HOUR);
    // Simulates a write from a tab that was frozen for two hours.
    await other.store.put(JSON.parse(outdated));
    other.items.set(KEY, outdated);
    await other.store.read();
    await origin.clock.advance(SECOND);
    tab.kill();
    expect(await accessToken(origin.open())).not.toBeNull();
    expectContinued(3);
  });

  it('removes an outdated refresh token from storage that is full', async () => {
    const tab = await origin.openSignedIn();
    origin.isFull = true;
    for (let hour = 1; hour <= 2; hour += 1) {
      await origin.clock.advance(HOUR);
      expect(await accessToken(tab)).not.toBeNull();
    }
    expect(await accessToken(origin.open())).toBeNull();
    expectContinued(2);
  });

  it('does not refresh again within ten seconds if an API rejects every token', async () => {
    const tab = await origin.openSignedIn();
    await origin.clock.advance(10 * SECOND);
    const first = (await accessToken(tab))!;
    const second = (await origin.clock.finish(tab.manager.replaceRejected(first)))!;
    expect(second).not.toBe(first);
    expect(await origin.clock.finish(tab.manager.replaceRejected(second))).toBeNull();
    expect(await origin.clock.finish(tab.manager.replaceRejected(first))).toBe(second);
    expectContinued(1);
    await origin.clock.advance(10 * SECOND);
    expect(await origin.clock.finish(tab.manager.replaceRejected(second))).not.toBeNull();
    expectContinued(2);
  });

  it("refreshes after the device's clock is set back", async () => {
    const tab = await origin.openSignedIn();
    const token = (await accessToken(tab))!;
    origin.clock.time -= 24 * HOUR;
    expect(await origin.clock.finish(tab.manager.replaceRejected(token))).not.toBeNull();
    expectContinued(1);
  });

  it('stays signed out when a refresh completes after the sign-out', async () => {
    const tab = await origin.openSignedIn();
    const other = origin.open();
    await origin.clock.advance(HOUR);
    const token = other.manager.accessToken();
    await origin.clock.advance(60);
    await tab.manager.end(tab.store.current!);
    expect(await origin.clock.finish(token)).toBeNull();
    await origin.clock.advance(SECOND);
    for (const each of [tab, other, origin.open()]) expect(await accessToken(each)).toBeNull();
    expect(tab.items.get(KEY)).not.toContain('refreshToken');
  });

  it("replaces another customer's session in all tabs, even during a refresh", async () => {
    const tab = await origin.openSignedIn('ses_1');
    const other = origin.open();
    await origin.clock.advance(HOUR);
    const token = tab.manager.accessToken();
    await origin.clock.advance(60);
    await other.manager.begin(origin.server.signIn('ses_2'), { ...customer, id: 'cus_2' }, origin.clock.time);
    expect(await origin.clock.finish(token)).toBe(await accessToken(other));
    await origin.clock.advance(SECOND);
    for (const { states } of [tab, other])
      expect(states.at(-1)).toMatchObject({
        status: 'signed_in',
        customer: { id: 'cus_2' },
        sessionId: 'ses_2',
      });
  });

  it('notifies a listener of the initial state and of each change, but not of a refresh', async () => {
    const tab = await origin.openSignedIn();
    const states: string[] = [];
    const end = tab.store.subscribe(({ status }) => states.push(status));
    await origin.clock.advance(HOUR);
    await accessToken(tab);
    expect(states).toEqual(['signed_in']);
    await tab.manager.end(tab.store.current!);
    await origin.clock.advance(SECOND);
    expect(states).toEqual(['signed_in', 'signed_out']);
    end();
    await tab.manager.begin(origin.server.signIn('ses_2'), customer, origin.clock.time);
    await origin.clock.advance(SECOND);
    expect(states).toEqual(['signed_in', 'signed_out']);
  });

  it('sends nothing to other tabs when the storage is in memory', async () => {
    const channels: string[] = [];
    const platform: Platform = {
      now: () => origin.clock.time,
      startTimer: origin.clock.startTimer,
      openChannel: (name) => ({ post: () => void channels.push(name) }),
    };
    const store = new SessionStore(memoryStorage(), KEY, platform);
    await store.put({ epoch: 1, sid: 'ses_1', ended: true });
    expect(channels).toEqual([]);
  });

  it('never uses a token that is two generations old, in random schedules', async () => {
    let generations = 0;
    for (let seed = 1; seed <= 50; seed += 1) {
      const random = createRandom(seed);
      const among = <Value>(...values: Value[]): Value => values[Math.floor(random() * values.length)]!;
      origin = new FakeOrigin();
      origin.locks = seed % 2 ? new FakeLocks(origin.clock) : undefined;
      origin.hasChannel = seed % 3 > 0;
      origin.propagation = () => random() * 1_500;
      origin.server.latency = () => random() * 3_000;
      await origin.openSignedIn();
      const pending: Promise<unknown>[] = [];
      for (let step = 0; step < 200; step += 1) {
        const tab = among(...origin.tabs);
        const attempt = (work: Promise<unknown>) => void pending.push(work.catch(() => undefined));
        const action = random();
        if (action < 0.35) attempt(tab.manager.accessToken());
        else if (action < 0.5)
          attempt(tab.manager.accessToken().then((token) => token && tab.manager.replaceRejected(token)));
        else if (action < 0.6) for (const { manager } of origin.tabs) attempt(manager.accessToken());
        else if (action < 0.68) origin.open();
        else if (action < 0.74) {
          if (origin.tabs.size > 1) tab.kill();
        } else if (action < 0.84)
          origin.server.next.push(among<Network>('response lost', 'hangs', 'offline', 503));
        else await origin.clock.advance(random() * among(SECOND, 10 * SECOND, 2 * HOUR));
      }
      origin.server.next.length = 0;
      await origin.clock.advance(2 * HOUR);
      const tokens = await origin.clock.finish(
        Promise.all([...origin.tabs].map(({ manager }) => manager.accessToken())),
      );
      expect({ seed, tokens, session: origin.server.stateOf('ses_1') }).toEqual({
        seed,
        tokens: tokens.map(() => expect.any(String)),
        session: { generation: expect.any(Number) },
      });
      generations += origin.server.stateOf('ses_1').generation;
    }
    expect(generations).toBeGreaterThan(300);
  });
});

/** Returns a seeded random number generator with values from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
