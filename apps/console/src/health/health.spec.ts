import { listProblems, type Health } from './health';

const now = Date.UTC(2026, 0, 2);
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
const worker = (alive: boolean) => ({
  id: 'w',
  host: 'w',
  version: '1',
  alive,
  startedAt: ago(99),
  seenAt: ago(1),
  inFlight: 0,
});
const healthy: Health = {
  version: '1',
  node: '24',
  startedAt: ago(99),
  database: { version: '17', migrations: { applied: 3, pending: 0 }, auditLogProtected: true },
  redis: 'not_configured',
  queue: { pending: 9, due: 1, oldestDueAt: ago(5), inFlight: 0, deadLetters: 0, jobs: null },
  replica: { state: 'not_configured', lagMs: null },
  endpoints: { disabled: 0, failing: 0 },
  openAlerts: [],
  workers: [worker(true), worker(false)],
  mail: { configured: false, pending: 0, failed: 7, failing: 0, overLimit: 0, oldestPendingAt: null },
  billing: 'off',
  warnings: [],
  processProblems: [],
  untrustedForwards: { count: 0, lastAt: null },
};
const processProblem = (kind: Health['processProblems'][number]['kind']) => ({
  ...{ kind, service: 'api' as const, host: 'api-1', detail: '3 s ahead', since: ago(9) },
});
const names = (health: Partial<Health>): string[] =>
  listProblems({ ...healthy, ...health }, now).map(({ name, status }) => `${status.tone} ${name}`);

describe('listProblems', () => {
  it('returns no problems if everything works, even if one of two workers does not respond', () => {
    expect(names({})).toEqual([]);
  });

  it.each([
    ['bad Workers', { workers: [worker(false)] }],
    ['warn Redis', { redis: 'unreachable' as const }],
    ['warn Redis', { redis: 'read_only' as const }],
    ['warn Queue', { queue: { ...healthy.queue, oldestDueAt: ago(90) } }],
    ['bad Queue', { queue: { ...healthy.queue, oldestDueAt: ago(3_600) } }],
    ['warn Dead letters', { queue: { ...healthy.queue, deadLetters: 1_270 } }],
    ['warn Endpoints', { endpoints: { disabled: 1, failing: 0 } }],
    ['warn Endpoints', { endpoints: { disabled: 0, failing: 2 } }],
    ['warn Alerts', { openAlerts: ['dead_letters' as const] }],
    ['warn Read replica', { replica: { state: 'not_in_use' as const, lagMs: null } }],
    ['warn Database', { database: { ...healthy.database, migrations: { applied: 3, pending: 1 } } }],
    ['warn Database', { database: { ...healthy.database, auditLogProtected: false } }],
    ['bad Database', { processProblems: [processProblem('two_writable_hosts')] }],
    ['warn Clocks', { processProblems: [processProblem('clock_skew')] }],
    ['warn Email', { mail: { ...healthy.mail, overLimit: 1 } }],
    ['warn Client addresses', { untrustedForwards: { count: 3, lastAt: ago(60) } }],
    ['bad Email', { mail: { ...healthy.mail, configured: true, oldestPendingAt: ago(3_600) } }],
    ['bad Email', { mail: { ...healthy.mail, configured: true, failing: 3 } }],
    ['warn Configuration', { warnings: ['redis_unencrypted' as const] }],
  ])('returns the problem "%s"', (problem, health) => expect(names(health)).toEqual([problem]));

  it('returns the most severe problem first', () => {
    expect(names({ redis: 'unreachable', workers: [] })).toEqual(['bad Workers', 'warn Redis']);
  });
});
