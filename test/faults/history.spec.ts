import { randomUUID } from 'node:crypto';
import type { TestResponse, Exchange } from '../support/test-instance.js';
import {
  findRepeatedRequests,
  findViolations,
  type Facts,
  type ProcessReport,
} from '../support/invariants.js';

const [PROJECT, CUSTOMER, SESSION, EVENT, ENDPOINT, DELIVERY] = Array.from({ length: 6 }, () =>
  randomUUID(),
) as [string, string, string, string, string, string];
const URL = 'http://127.0.0.1:1/hook';
const EMAIL = 'someone@example.com';
const tolerances = { schedule: [0, 1_000, 1_000, 1_000, 1_000], lateMs: 500, longestMs: 15_000 };

const token = (claims: object): string => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

const exchange = (
  path: string,
  status: number,
  body: unknown,
  overrides: Partial<Exchange> = {},
): Exchange => ({
  at: 0,
  ms: 20,
  method: 'POST',
  path,
  requestBody: {},
  accessToken: null,
  response: { status, headers: new Headers(), body } satisfies TestResponse,
  ...overrides,
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
  response: status === null ? null : { status, at: at + 5 },
});

const running: ProcessReport = {
  name: 'api 1',
  isApi: true,
  isRunning: true,
  isIntentional: false,
  isKilled: false,
  endedAt: null,
  fatal: [],
  lastLine: '',
};

/** Returns a valid history: a registration, a failed attempt and a successful one. */
const validFacts = (): Facts => ({
  exchanges: [
    exchange(
      '/api/v1/auth/register',
      201,
      {
        customer: { id: CUSTOMER, email: EMAIL },
        tokens: { accessToken: token({ sub: CUSTOMER, sid: SESSION }) },
      },
      { requestBody: { email: EMAIL } },
    ),
    exchange('/api/v1/me', 200, { id: CUSTOMER }, { method: 'GET', accessToken: token({ sub: CUSTOMER }) }),
    refreshExchange('b'),
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

const violationsOf = (change: (facts: Facts) => unknown): string[] => {
  const facts = validFacts();
  change(facts);
  return findViolations(facts, tolerances).map(({ invariant, description }) => `${invariant} ${description}`);
};

const refreshExchange = (refreshToken: string) =>
  exchange('/api/v1/auth/refresh', 200, { tokens: { refreshToken } }, { requestBody: { refreshToken: 'a' } });
const withoutResponse = (error = new Error('other side closed')) => ({ response: null, error });
const killedApi = (endedAt: number): ProcessReport[] => [
  { ...running, isRunning: false, isIntentional: true, isKilled: true, endedAt },
];
const verificationEvent = (): Facts['events'][number] => {
  const type = 'verification.completed';
  return { id: randomUUID(), type, customerId: CUSTOMER, projectId: null, at: 0 };
};

const violations: [string, string, (facts: Facts) => unknown][] = [
  ['I1', 'an acknowledged customer is missing', (facts) => facts.customers.pop()],
  ['I1', 'an acknowledged session is missing', (facts) => facts.sessions.pop()],
  ['I2', 'a change has no event', ({ events }) => (events[0]!.type = 'customer.updated')],
  [
    'I2',
    'an event has no delivery',
    (facts) => Object.assign(facts, { deliveries: [], attempts: [], requests: [] }),
  ],
  ['I2', 'a delivery stays pending', ({ deliveries }) => (deliveries[0]!.state = 'pending')],
  ['I2', 'a delivery stays leased', ({ deliveries }) => (deliveries[0]!.isLeased = true)],
  ['I2', 'a success that no target has returned', ({ requests }) => requests.pop()],
  ['I2', 'a success that the target had rejected', ({ requests }) => (requests[1] = request(1_125, 500))],
  ['I2', 'a success without a response', ({ requests }) => (requests[1] = request(1_125, null))],
  ['I2', 'a dead letter with two records', ({ deliveries }) => (deliveries[0]!.state = 'failed')],
  [
    'I2',
    'a canceled delivery to an active endpoint',
    ({ deliveries }) => (deliveries[0]!.state = 'cancelled'),
  ],
  ['I2', 'a record is missing', ({ attempts }) => attempts.shift()],
  ['I2', 'an attempt after a success', ({ attempts }) => (attempts[0]!.success = true)],
  [
    'I2',
    'a login has no event',
    ({ exchanges }) => exchanges.push(exchange('/api/v1/auth/login', 200, { customer: { id: CUSTOMER } })),
  ],
  ['I3', 'two requests for the first attempt', ({ requests }) => requests.push(request(112, 500))],
  ['I3', 'a third request after the last attempt', ({ requests }) => requests.push(request(9_000))],
  ['I3', 'a request before its attempt', ({ requests }) => (requests[1] = request(600))],
  ['I3', 'two records of one attempt', ({ attempts }) => attempts.push(attempt(2, 1_121))],
  ['I4', 'a refresh token has two successors', ({ exchanges }) => exchanges.push(refreshExchange('c'))],
  [
    'I5',
    'two events for a single change',
    ({ events }) => events.push(verificationEvent(), verificationEvent()),
  ],
  [
    'I6',
    "a customer gets another customer's profile",
    ({ exchanges }) => (exchanges[1]!.response!.body.id = randomUUID()),
  ],
  [
    'I6',
    'a registration returns another customer',
    ({ exchanges }) => (exchanges[0]!.requestBody.email = 'b@example.com'),
  ],
  ['I7', 'a 500', ({ exchanges }) => (exchanges[1]!.response!.status = 500)],
  ['I7', 'a 503 without Retry-After', ({ exchanges }) => (exchanges[1]!.response!.status = 503)],
  ['I7', 'a response after 16 s', ({ exchanges }) => (exchanges[1]!.ms = 16_000)],
  [
    'I7',
    'no response from a running API process',
    ({ exchanges }) => Object.assign(exchanges[1]!, withoutResponse()),
  ],
  [
    'I7',
    'no response long before an API process is killed',
    (facts) => {
      Object.assign(facts.exchanges[1]!, withoutResponse());
      facts.processes = killedApi(5_000);
    },
  ],
  ['I7', 'a process exits unexpectedly', (facts) => (facts.processes = [{ ...running, isRunning: false }])],
  ['I7', 'a process logs a fatal error', (facts) => (facts.processes = [{ ...running, fatal: ['{}'] }])],
  [
    'I8',
    'a retry starts too early',
    ({ attempts, requests }) => {
      attempts[1]!.startedAt = 900;
      requests[1]!.at = 905;
    },
  ],
  [
    'I8',
    'a retry starts too late',
    ({ attempts, requests }) => (attempts[1]!.startedAt = requests[1]!.at = 1_800),
  ],
  ['I8', 'a first attempt starts too late', ({ deliveries }) => (deliveries[0]!.createdAt = -500)],
];

describe('the history checker', () => {
  it('finds no problem in a valid history', () => {
    expect(violationsOf(() => undefined)).toEqual([]);
  });

  it('reports each violated invariant with its cause', () => {
    for (const [invariant, name, change] of violations) {
      const problems = violationsOf(change).join('\n');
      expect([name, problems]).toEqual([name, expect.stringMatching(new RegExp(`^${invariant}`, 'm'))]);
      expect([name, problems]).toEqual([
        name,
        expect.stringMatching(/[0-9a-f-]{36}|refresh token|\/api\/v1|api 1/),
      ]);
    }
  });

  it('accepts refused connections, and missing responses of a process that is being killed', () => {
    const violationsWithError = (error: Error, processes = [running]) =>
      violationsOf((facts) =>
        Object.assign(facts, { processes }).exchanges.splice(1, 1, {
          ...validFacts().exchanges[1]!,
          ...withoutResponse(error),
        }),
      );
    expect(violationsWithError(new Error('other side closed'), killedApi(10))).toEqual([]);
    const rejectedError = Object.assign(new Error('fetch failed'), {
      cause: { message: '', code: 'ECONNREFUSED' },
    });
    expect(violationsWithError(rejectedError)).toEqual([]);
  });

  it('counts repeated requests for accepted events, except redeliveries', () => {
    const facts = validFacts();
    facts.requests.push(request(2_000));
    expect(findRepeatedRequests(facts)).toHaveLength(1);
    facts.deliveries.push({ ...facts.deliveries[0]!, id: randomUUID() });
    expect(findRepeatedRequests(facts)).toHaveLength(0);
  });
});
