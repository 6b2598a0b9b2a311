import { randomUUID } from 'node:crypto';
import type { Answer, Exchange } from '../support/test-instance.js';
import { repeats, violations, type Facts, type ProcessFate } from '../support/invariants.js';

const [PROJECT, CUSTOMER, SESSION, EVENT, ENDPOINT, DELIVERY] = Array.from({ length: 6 }, () =>
  randomUUID(),
) as [string, string, string, string, string, string];
const URL = 'http://127.0.0.1:1/hook';
const EMAIL = 'someone@example.com';
const tolerances = { schedule: [0, 1_000, 1_000, 1_000, 1_000], lateMs: 500, longestMs: 15_000 };

const token = (claims: object): string => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

const exchange = (path: string, status: number, body: unknown, more: Partial<Exchange> = {}): Exchange => ({
  at: 0,
  ms: 20,
  method: 'POST',
  path,
  asked: {},
  accessToken: null,
  answer: { status, headers: new Headers(), body } satisfies Answer,
  ...more,
});

const attempt = (
  number: number,
  startedAt: number,
  error: string | null = null,
): Facts['attempts'][number] => ({
  id: randomUUID(),
  deliveryId: DELIVERY,
  eventId: EVENT,
  url: URL,
  attempt: number,
  success: error === null,
  error,
  startedAt,
  closedAt: startedAt + 10,
});

const request = (at: number, status: number | null = 200): Facts['requests'][number] => ({
  url: URL,
  eventId: EVENT,
  at,
  answered: status === null ? null : { status, at: at + 5 },
});

const running: ProcessFate = {
  name: 'api 1',
  isApi: true,
  isRunning: true,
  isOnPurpose: false,
  isKilled: false,
  endedAt: null,
  fatal: [],
  lastLine: '',
};

/** A registration, a failed attempt, a good one: nothing is wrong with it. */
const sound = (): Facts => ({
  exchanges: [
    exchange(
      '/api/v1/auth/register',
      201,
      {
        customer: { id: CUSTOMER, email: EMAIL },
        tokens: { accessToken: token({ sub: CUSTOMER, sid: SESSION }) },
      },
      { asked: { email: EMAIL } },
    ),
    exchange('/api/v1/me', 200, { id: CUSTOMER }, { method: 'GET', accessToken: token({ sub: CUSTOMER }) }),
    exchange(
      '/api/v1/auth/refresh',
      200,
      { tokens: { refreshToken: 'b' } },
      { asked: { refreshToken: 'a' } },
    ),
  ],
  requests: [request(110, 500), request(1_125)],
  customers: [{ id: CUSTOMER }],
  sessions: [{ id: SESSION }],
  endpoints: [
    { id: ENDPOINT, projectId: PROJECT, url: URL, events: ['customer.*'], status: 'enabled', createdAt: 1 },
  ],
  events: [{ id: EVENT, type: 'customer.created', customerId: CUSTOMER, projectId: PROJECT, at: 100 }],
  deliveries: [
    {
      id: DELIVERY,
      eventId: EVENT,
      endpointId: ENDPOINT,
      state: 'succeeded',
      attempt: 2,
      isLeased: false,
      isWithdrawn: false,
      createdAt: 100,
    },
  ],
  attempts: [attempt(1, 105, 'http_error'), attempt(2, 1_120)],
  processes: [running],
});

const found = (change: (facts: Facts) => void): string[] => {
  const facts = sound();
  change(facts);
  return violations(facts, tolerances).map(({ invariant, what }) => `${invariant} ${what}`);
};

const broken: [string, string, (facts: Facts) => void][] = [
  ['I1', 'a customer that was acknowledged is gone', (facts) => (facts.customers = [])],
  ['I1', 'a session that was acknowledged is gone', (facts) => (facts.sessions = [])],
  ['I2', 'a change has no event', (facts) => (facts.events[0]!.type = 'customer.updated')],
  [
    'I2',
    'an event has no delivery',
    (facts) => Object.assign(facts, { deliveries: [], attempts: [], requests: [] }),
  ],
  ['I2', 'a delivery stays pending', (facts) => (facts.deliveries[0]!.state = 'pending')],
  ['I2', 'a delivery stays leased', (facts) => (facts.deliveries[0]!.isLeased = true)],
  ['I2', 'a success that no target has seen', (facts) => facts.requests.pop()],
  ['I2', 'a success that the target had refused', (facts) => (facts.requests[1] = request(1_125, 500))],
  ['I2', 'a success that was never answered', (facts) => (facts.requests[1] = request(1_125, null))],
  ['I2', 'a dead letter with two records', (facts) => (facts.deliveries[0]!.state = 'failed')],
  [
    'I2',
    'a cancelled delivery of an endpoint that is there',
    (facts) => (facts.deliveries[0]!.state = 'cancelled'),
  ],
  ['I2', 'a record is missing', (facts) => facts.attempts.shift()],
  ['I2', 'an attempt after a success', (facts) => (facts.attempts[0]!.success = true)],
  [
    'I2',
    'a login has no event',
    (facts) => facts.exchanges.push(exchange('/api/v1/auth/login', 200, { customer: { id: CUSTOMER } })),
  ],
  ['I3', 'two requests for the first attempt', (facts) => facts.requests.push(request(112, 500))],
  ['I3', 'a third request after the last attempt', (facts) => facts.requests.push(request(9_000))],
  ['I3', 'a request before its attempt', (facts) => (facts.requests[1] = request(600))],
  ['I3', 'two records of one attempt', (facts) => facts.attempts.push(attempt(2, 1_121))],
  [
    'I4',
    'a refresh token has two successors',
    (facts) =>
      facts.exchanges.push(
        exchange(
          '/api/v1/auth/refresh',
          200,
          { tokens: { refreshToken: 'c' } },
          { asked: { refreshToken: 'a' } },
        ),
      ),
  ],
  [
    'I5',
    'something happens twice that happens once',
    (facts) => {
      for (const id of [randomUUID(), randomUUID()])
        facts.events.push({
          id,
          type: 'verification.completed',
          customerId: CUSTOMER,
          projectId: null,
          at: 0,
        });
    },
  ],
  ['I6', 'somebody is shown somebody else', (facts) => (facts.exchanges[1]!.answer!.body.id = randomUUID())],
  [
    'I6',
    'somebody is registered as somebody else',
    (facts) => (facts.exchanges[0]!.asked.email = 'b@example.com'),
  ],
  ['I7', 'a 500', (facts) => (facts.exchanges[1]!.answer!.status = 500)],
  ['I7', 'a 503 without Retry-After', (facts) => (facts.exchanges[1]!.answer!.status = 503)],
  ['I7', 'an answer after 16 s', (facts) => (facts.exchanges[1]!.ms = 16_000)],
  [
    'I7',
    'no answer from an api that lives',
    (facts) => Object.assign(facts.exchanges[1]!, { answer: null, fault: new Error('other side closed') }),
  ],
  [
    'I7',
    'no answer long before an api is killed',
    (facts) => {
      Object.assign(facts.exchanges[1]!, { answer: null, fault: new Error('other side closed') });
      facts.processes = [{ ...running, isRunning: false, isOnPurpose: true, isKilled: true, endedAt: 5_000 }];
    },
  ],
  ['I7', 'a process ends by itself', (facts) => (facts.processes = [{ ...running, isRunning: false }])],
  [
    'I7',
    'a process meets an unexpected fault',
    (facts) => (facts.processes = [{ ...running, fatal: ['{}'] }]),
  ],
  [
    'I8',
    'a retry comes too early',
    (facts) => {
      facts.attempts[1]!.startedAt = 900;
      facts.requests[1]!.at = 905;
    },
  ],
  ['I8', 'a retry comes too late', (facts) => (facts.attempts[1]!.startedAt = facts.requests[1]!.at = 1_800)],
  ['I8', 'a first attempt comes too late', (facts) => (facts.deliveries[0]!.createdAt = -500)],
];

describe('the history checker', () => {
  it('finds nothing in a sound history', () => {
    expect(found(() => undefined)).toEqual([]);
  });

  it.each(broken)('finds %s, where %s', (invariant, _, change) => {
    const all = found(change);
    expect(all.some((line) => line.startsWith(invariant))).toBe(true);
    // It says which one.
    expect(all.join('\n')).toMatch(/[0-9a-f-]{36}|refresh token|\/api\/v1|api 1/);
  });

  it('lets a request go unanswered by an api that is killed just then, and one that nobody accepted', () => {
    const killed = { ...running, isRunning: false, isOnPurpose: true, isKilled: true, endedAt: 10 };
    const cut = { answer: null, fault: new Error('other side closed') };
    expect(
      found((facts) => {
        Object.assign(facts.exchanges[1]!, cut);
        facts.processes = [killed];
      }),
    ).toEqual([]);
    const refused = Object.assign(new Error('fetch failed'), {
      cause: { message: '', code: 'ECONNREFUSED' },
    });
    expect(found((facts) => Object.assign(facts.exchanges[1]!, { answer: null, fault: refused }))).toEqual(
      [],
    );
  });

  it('counts what a target got again although it had taken it, redeliveries aside', () => {
    const facts = sound();
    facts.requests.push(request(2_000));
    expect(repeats(facts)).toHaveLength(1);
    facts.deliveries.push({ ...facts.deliveries[0]!, id: randomUUID() });
    expect(repeats(facts)).toHaveLength(0);
  });
});
