import type { Config, DeliveryQueue } from '@gatehouse/platform';
import type { Database, DatabaseProblem } from '../database/database.js';
import type { BacklogRepository } from './backlog.repository.js';
import { DependencyHealth } from './dependency-health.js';

interface Servers {
  problem?: DatabaseProblem;
  redis?: string;
  failingMails?: Promise<number>;
  /** Resolves when the PostgreSQL check has ended. */
  checked?: Promise<void>;
}

function createHealth({ problem, redis, failingMails, checked }: Servers): DependencyHealth {
  const queue = { problem: redis ?? null, isReady: () => !redis } as DeliveryQueue;
  return new DependencyHealth(
    { problem: problem ?? null, check: () => checked ?? Promise.resolve() } as Database,
    queue,
    { mail: { smtpUrl: 'smtp://mail.example.com' } } as Config,
    { countFailingMails: () => failingMails ?? Promise.resolve(0) } as BacklogRepository,
  );
}

/** Returns the health after a check. */
async function readHealth(servers: Servers) {
  const health = createHealth(servers);
  await health.check();
  return health.read('ready');
}

const never = new Promise<never>(() => undefined);

describe('DependencyHealth', () => {
  it.each<[string, Servers, string]>([
    ['all servers available', {}, 'ready'],
    ['an unreachable PostgreSQL', { problem: 'unreachable' }, 'degraded'],
    ['a read-only PostgreSQL', { problem: 'read_only' }, 'degraded'],
    ['wrong session settings', { problem: 'wrong_settings' }, 'unavailable'],
    ['a full Redis', { redis: 'full' }, 'degraded'],
  ])('returns the readiness with %s', (_, servers, expected) => {
    expect(createHealth(servers).readReadiness()).toBe(expected);
  });

  it('reports failing emails, and an unknown state if they cannot be counted', async () => {
    const ok = { postgresql: 'ok', redis: 'ok', mail: 'ok' };
    expect(await readHealth({})).toEqual({ status: 'ready', components: ok });
    expect(await readHealth({ failingMails: Promise.resolve(1) })).toEqual({
      status: 'degraded',
      components: { ...ok, mail: 'failing' },
    });
    const unread = await readHealth({ failingMails: Promise.reject(new Error()) });
    expect(unread.components).toEqual({ ...ok, mail: 'unknown' });
    const unreachable = await readHealth({ problem: 'unreachable' });
    expect(unreachable.components).toEqual({ ...ok, postgresql: 'unreachable', mail: 'unknown' });
  });

  it('returns the last known states immediately while PostgreSQL hangs', () => {
    const hung = createHealth({ checked: never, failingMails: never });
    void hung.check();
    expect(hung.read('ready').components).toMatchObject({ postgresql: 'ok', mail: 'unknown' });
    const detected = createHealth({ problem: 'unreachable', failingMails: never });
    void detected.check();
    expect(detected.read('ready').components).toMatchObject({ postgresql: 'unreachable', mail: 'unknown' });
  });

  it('reports process-specific components and unavailable readiness', async () => {
    const health = createHealth({});
    await health.check();
    const report = health.read('ready', { webhookWorker: 'missing' });
    expect(report).toMatchObject({ status: 'degraded', components: { webhookWorker: 'missing' } });
    expect(health.read('unavailable').status).toBe('unavailable');
  });
});
