import { randomInt } from 'node:crypto';
import { Agent } from 'node:http';
import { expectStatus } from '../support/customers.js';
import { bearerHeader, PASSWORD, type TestInstance } from '../support/test-instance.js';
import { insertProject } from '../support/tenants.js';
import { randomTotpSecret, totpCode } from '../support/totp.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { uniqueEmail } from '../support/unique-email.js';
import { BenchInstance } from './bench-instance.js';
import { exchange, type Exchange } from './exchange.js';
import { printProgress, type SectionResult } from './report.js';
import { mapInGroups } from './requests.js';
import { timingReport, type TimingCase } from './timing-report.js';

const SAMPLES = 200;
/** Warm-up requests per case: compiled code is several times faster. */
const WARM_UP = 15;
const COST = 10;

/** Requests to one route for one kind of customer. */
interface Case {
  group: string;
  name: string;
  path: string;
  status: number;
  /**
   * Functions that return the request bodies. Each address is used once, so that limits per address do not affect
   * durations.
   */
  bodies: (() => object)[];
  /** Default: the first project's key. */
  publishableKey?: string;
  isMixed?: boolean;
  /** True if the case is only printed, because its response reveals the result anyway. */
  isInformative?: boolean;
}

/** Measures whether a response's duration or content reveals who is registered (requirements PW-08, EV-07). */
export async function measureTiming({ samples = SAMPLES }: { samples?: number }): Promise<SectionResult> {
  const bench = await BenchInstance.start({ env: { BCRYPT_COST: String(COST) } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const cases = [
      ...(await prepareSecondSteps(bench.instance, samples + WARM_UP)),
      ...(await prepareCases(bench.instance, samples + WARM_UP)),
      ...(await prepareImportedCases(bench.instance, samples + WARM_UP)),
    ];
    const timed = new Map<Case, TimingCase>(cases.map((each) => [each, createTimingCase(each)]));
    for (const group of new Set(cases.map((each) => each.group))) {
      printProgress(group);
      const members = cases.filter((each) => each.group === group);
      for (const each of shuffle(members.flatMap((member) => repeat(member, WARM_UP))))
        await send(bench.instance, agent, each);
      // Random order: load on the machine, or a previous request, affects every case equally.
      for (const each of shuffle(members.flatMap((member) => repeat(member, samples))))
        timed.get(each)!.responses.push(await send(bench.instance, agent, each));
    }
    await assertMailed(bench.instance, samples + WARM_UP);
    return timingReport(
      [...timed.values()],
      [
        `${samples} requests of each case, one after the other over one connection, in random order within a group,`,
        `after ${WARM_UP} warm-up requests. Each uses a new address; bcrypt at cost ${COST}.`,
        'The project of the group "login with imported hashes" has equal numbers of Gatehouse, argon2id, bcrypt and PBKDF2 hashes.',
        'Half of the Gatehouse hashes are portable.',
        'The cases of challenge/totp have no target: the response reveals the result.',
        'Ratios refer to the first case of the group. Responses are compared without date, request id and challenge.',
      ],
    );
  } finally {
    agent.destroy();
    await bench.stop();
  }
}

const createTimingCase = ({ group, name, isMixed = false, isInformative = false }: Case): TimingCase => ({
  ...{ group, name, isMixed, isInformative, responses: [] },
});

const createBodies = (emails: string[], password?: string): (() => object)[] =>
  emails.map((email) => () => ({ email, password }));

/**
 * Hashes from other systems. Verification takes from microseconds to several times as long as for a Gatehouse hash.
 */
const importedHashes = [
  '$argon2id$v=19$m=65536,t=3,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g',
  `$2b$13$${'C'.repeat(21)}.${'E'.repeat(30)}C`,
  '$pbkdf2-sha256$i=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g',
];

/** Creates the cases for a project whose customers have different hashes (requirement OP-03). */
async function prepareImportedCases(instance: TestInstance, count: number): Promise<Case[]> {
  const { organizationId } = instance.credentials;
  const { projectId, publishableKey, secretKey } = await insertProject(instance, organizationId);
  const customers = Array.from({ length: count }, (_, index) => {
    const passwordHash = importedHashes[index % (importedHashes.length + 1)];
    return { email: uniqueEmail(), ...(passwordHash ? { passwordHash } : { password: PASSWORD }) };
  });
  const half = Math.floor(count / 2);
  for (const [passwordHashing, list] of [
    ['peppered', customers.slice(0, half)],
    ['portable', customers.slice(half)],
  ] as const) {
    const settings = { passwordHashing };
    const path = `/api/v1/projects/${projectId}`;
    expectStatus(200, await instance.requestWithSecretKey('PATCH', path, { settings }));
    const response = await instance.request('POST', '/api/v1/customers/import', {
      body: { customers: list },
      headers: bearerHeader(secretKey),
    });
    if (response.body.created !== list.length) throw new Error(JSON.stringify(response.body));
  }
  const login = {
    ...{ group: 'login with imported hashes', path: 'login', status: 401, isMixed: true },
    publishableKey,
  };
  const bodies = (emails: string[]) => createBodies(emails, `not ${PASSWORD}`);
  return [
    { ...login, name: 'wrong password', bodies: bodies(shuffle(customers.map(({ email }) => email))) },
    { ...login, name: 'unknown email', bodies: bodies(Array.from({ length: count }, uniqueEmail)) },
  ];
}

async function prepareCases(instance: TestInstance, count: number): Promise<Case[]> {
  printProgress(`${4 * count} customers`);
  const create = (input: object) => createCustomers(instance, count, input);
  const registered = await create({ password: PASSWORD });
  const withoutPassword = await create({});
  const verified = await create({ password: PASSWORD, emailVerified: true });
  const disabled = await create({ password: PASSWORD });
  await mapInGroups(disabled, ({ id }) =>
    sendAndExpect(instance, `/api/v1/customers/${id}/disable`, undefined, 200),
  );
  const projectPath = `/api/v1/projects/${instance.credentials.projectId}`;
  const settings = { signIn: { emailCode: true } };
  expectStatus(200, await instance.requestWithSecretKey('PATCH', projectPath, { settings }));
  const emails = (customers: { email: string }[]) => customers.map(({ email }) => email);
  const unknown = () => Array.from({ length: count }, uniqueEmail);
  const createCases = (path: string, status: number, kinds: Record<string, string[]>, password?: string) =>
    Object.entries(kinds).map(([name, addresses]) => ({
      ...{ group: path, name, path, status, bodies: createBodies(addresses, password) },
    }));
  const logins = {
    'wrong password': emails(registered),
    'unknown email': unknown(),
    'customer without a password': emails(withoutPassword),
    'disabled customer, wrong password': emails(disabled),
  };
  return [
    ...createCases('login', 401, logins, `not ${PASSWORD}`),
    ...createCases('forgot-password', 202, { known: emails(registered), unknown: unknown() }),
    ...createCases('email-code', 202, {
      known: emails(verified),
      unknown: unknown(),
      disabled: emails(disabled),
    }),
    ...createCases('resend-verification', 202, {
      unverified: emails(registered),
      verified: emails(verified),
      unknown: unknown(),
    }),
  ];
}

/**
 * Creates the cases for the second step. The response reveals whether a code is correct, and a code works only once.
 * Challenges expire after 10 minutes, so these cases come first.
 */
async function prepareSecondSteps(instance: TestInstance, count: number): Promise<Case[]> {
  const { publishableKey, secretKey, projectId } = await insertProject(
    instance,
    instance.credentials.organizationId,
  );
  const headers = bearerHeader(secretKey);
  const settings = { mfa: 'optional' };
  const path = `/api/v1/projects/${projectId}`;
  expectStatus(200, await instance.requestWithSecretKey('PATCH', path, { settings }));
  const prepare = async (name: string, status: number, chooseCode: (secret: string) => string) => {
    printProgress(`${count} challenges: ${name}`);
    const bodies = await mapInGroups(Array.from({ length: count }, uniqueEmail), async (email) => {
      const totpSecret = randomTotpSecret();
      const customers = [{ email, password: PASSWORD, emailVerified: true, totpSecret }];
      const created = await instance.request('POST', '/api/v1/customers/import', {
        body: { customers },
        headers,
      });
      if (created.body.created !== 1) throw new Error(JSON.stringify(created.body));
      const body = { email, password: PASSWORD };
      const response = await instance.request('POST', '/api/v1/auth/login', {
        body,
        headers: { 'x-publishable-key': publishableKey },
      });
      const challengeToken = expectStatus(200, response).body.challenge.token as string;
      return () => ({ challengeToken, code: chooseCode(totpSecret) });
    });
    return {
      ...{ group: 'challenge/totp', name, path: 'challenge/totp', status, bodies, publishableKey },
      isInformative: true,
    };
  };
  const cases = [
    await prepare('wrong code', 400, (secret) => totpCode(secret, 100)),
    await prepare('code of a used time step', 400, (secret) => totpCode(secret)),
  ];
  // Marks all codes of the existing factors as used.
  await instance.sql('UPDATE totp_factors SET last_step = extract(epoch FROM now()) / 30 + 1000');
  return [...cases, await prepare('correct code', 200, (secret) => totpCode(secret))];
}

function createCustomers(
  instance: TestInstance,
  count: number,
  input: object,
): Promise<{ id: string; email: string }[]> {
  return mapInGroups(Array.from({ length: count }, uniqueEmail), (email) =>
    sendAndExpect(instance, '/api/v1/customers', { email, ...input }, 201),
  );
}

/**
 * Sends a request, with retries while hash threads are busy or the secret key's limit is reached.
 * @throws Error unless the final status is `status`
 */
async function sendAndExpect(
  instance: TestInstance,
  path: string,
  body: object | undefined,
  status: number,
): Promise<{ id: string; email: string }> {
  const response = await retryWhileRejected(
    () => instance.requestWithSecretKey('POST', path, body),
    [503, 429],
  );
  return expectStatus(status, response).body;
}

async function send(
  { baseUrl, credentials }: TestInstance,
  agent: Agent,
  requested: Case,
): Promise<Exchange> {
  const { path, status, bodies, publishableKey = credentials.publishableKey } = requested;
  const response = await exchange(agent, {
    method: 'POST',
    url: `${baseUrl}/api/v1/auth/${path}`,
    headers: { 'x-publishable-key': publishableKey },
    body: JSON.stringify(bodies.pop()!()),
  });
  if (response.status !== status)
    throw new Error(`${requested.name}: ${response.status} ${response.error ?? response.body}`);
  return response;
}

/** Throws unless registered addresses have received their emails. Without them, the comparison would be meaningless. */
async function assertMailed(instance: TestInstance, count: number): Promise<void> {
  const rows = await instance.sql<{ kind: string; count: number }>(
    'SELECT kind, count(*)::int AS count FROM mails GROUP BY kind',
  );
  const counts = Object.fromEntries(rows.map(({ kind, count: mails }) => [kind, mails]));
  const expected = { 'reset-password': count, 'verify-email': count, 'email-code': 2 * count };
  for (const [kind, number] of Object.entries(expected))
    if (counts[kind] !== number)
      throw new Error(`expected ${number} ${kind} emails, but ${counts[kind] ?? 0} were recorded`);
}

const repeat = <T>(value: T, count: number): T[] => Array.from({ length: count }, () => value);

function shuffle<T>(values: T[]): T[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}
