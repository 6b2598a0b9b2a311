import type { Config, DeliveryQueue } from '@gatehouse/platform';
import type { Database, DatabaseProblem } from '../database.js';
import { DependencyHealth } from './dependency-health.js';
import type { SystemStatus, SystemStatusRepository } from './system-status.repository.js';

interface Servers {
  problem?: DatabaseProblem;
  redis?: string;
  /** Creation time of the oldest pending email. */
  oldestMailAt?: Date;
}

function createHealth({ problem, redis, oldestMailAt }: Servers): DependencyHealth {
  const queue = { problem: redis ?? null, isReady: () => !redis } as DeliveryQueue;
  const read = () =>
    problem ? Promise.reject(new Error()) : Promise.resolve({ oldestMailAt } as SystemStatus);
  return new DependencyHealth(
    { problem: problem ?? null } as Database,
    queue,
    { mail: { smtpUrl: 'smtp://mail.example.com' } } as Config,
    { read } as SystemStatusRepository,
  );
}

describe('DependencyHealth', () => {
  it.each<[string, Servers, string]>([
    ['all servers', {}, 'ready'],
    ['a PostgreSQL that cannot be reached', { problem: 'unreachable' }, 'degraded'],
    ['a read-only PostgreSQL', { problem: 'read_only' }, 'degraded'],
    ['wrong settings of the session', { problem: 'wrong_settings' }, 'unavailable'],
    ['a full Redis', { redis: 'full' }, 'degraded'],
  ])('reads the readiness with %s', (_, servers, expected) => {
    expect(createHealth(servers).readReadiness()).toBe(expected);
  });

  it('reports emails that wait for more than five minutes, and those that cannot be read', async () => {
    const ok = { postgresql: 'ok', redis: 'ok', mail: 'ok' };
    const read = (servers: Servers) => createHealth(servers).read('ready');
    expect(await read({ oldestMailAt: new Date() })).toEqual({ status: 'ready', components: ok });
    expect(await read({ oldestMailAt: new Date(0) })).toEqual({
      status: 'degraded',
      components: { ...ok, mail: 'delayed' },
    });
    expect((await read({ problem: 'unreachable' })).components['mail']).toBe('unknown');
  });

  it('reports components that only the process knows, and a process that does not serve', async () => {
    const health = createHealth({});
    const report = await health.read('ready', { webhookWorker: 'missing' });
    expect(report).toMatchObject({ status: 'degraded', components: { webhookWorker: 'missing' } });
    expect((await health.read('unavailable')).status).toBe('unavailable');
  });
});
