import { LoginAttemptsRepository, type Database } from '@gatehouse/persistence';
import { sha256 } from '@gatehouse/platform';
import { connectDatabase } from '../support/connect-database.js';
import {
  NEW_PASSWORD,
  normalizeResponse,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  type RegisteredCustomer,
} from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { setFailedSignIns } from '../support/failed-sign-ins.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let database: Database;
let attempts: LoginAttemptsRepository;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  database = await connectDatabase(instance);
  attempts = new LoginAttemptsRepository(database);
});
afterAll(async () => {
  await database?.close();
  await instance?.stop();
});

const HOME = '203.0.113.5';
const ELSEWHERE = '192.0.2.1';
const HOUR = 3600;
/** Window lengths in seconds. The length changes after every ten consecutive failures. */
const WINDOWS = [0.25, 0.5, 1, 2, 4, 8, 16, 24, 24, 24, 24].map((hours) => hours * HOUR);

const loginFrom = (ip: string, email: string, password?: string): Promise<TestResponse> =>
  retryWhileRejected(() =>
    instance.login(email, password, {
      'x-api-key': instance.credentials.projectSecretKey,
      'x-client-ip': ip,
    }),
  );
const statusFrom = async (ip: string, email: string, password?: string): Promise<number> =>
  (await loginFrom(ip, email, password)).status;

const emailHashSql = (email: string): string => `sha256('${email}')`;
/** Ends the current window. The column rounds to milliseconds, so a stored `now()` can be in the future. */
const endWindow = (...emails: string[]): Promise<unknown> =>
  instance.sql(
    `UPDATE login_attempts SET window_ends_at = now() - interval '1 ms' WHERE email_hash IN (${emails.map(emailHashSql).join()})`,
  );

/** Sets the number of consecutive failures, in windows that have ended. */
const setConsecutiveFailures = (email: string, consecutive: number): Promise<void> =>
  setFailedSignIns(instance, email, { inWindow: 0, consecutive });

const policy = { quota: 10, windowSeconds: WINDOWS[0]!, maxWindowSeconds: 24 * HOUR };

/** Counts an attempt without verifying a password. @returns what its response reveals */
async function countAttempt(email: string): Promise<{ isOpen: boolean; window: number; wait: number }> {
  const attempt = { ...policy, email, emailHash: sha256(email), addressBlock: HOME };
  const { projectId } = instance.credentials;
  const result = await attempts.reserve(projectId, attempt, { position: 0n, seed: 0n });
  return { isOpen: result.granted === 'open', window: result.windowSeconds, wait: result.secondsLeft };
}

/** Locks the password of a customer who has signed in from HOME, and ends the window. */
async function lockPassword(): Promise<RegisteredCustomer> {
  const customer = await registerCustomer(instance);
  expect(await statusFrom(HOME, customer.email)).toBe(200);
  await setConsecutiveFailures(customer.email, 99);
  expect(await statusFrom(ELSEWHERE, customer.email, 'wrong password')).toBe(401);
  await eventually('the email', async () => (await listNotices(customer)).length > 0);
  await endWindow(customer.email);
  return customer;
}
const listNotices = ({ email }: RegisteredCustomer) => instance.listMails(email, 'password-closed');

describe('OP-02: consecutive failed sign-ins', () => {
  it('open ever longer windows, with the same responses for known and unknown emails', async () => {
    const { email } = await registerCustomer(instance);
    expect(await statusFrom(HOME, email)).toBe(200);
    const emails = [email, uniqueEmail()];
    for (const [index, window] of WINDOWS.entries()) {
      for (let failures = 10 * index + 1; failures <= 10 * index + 11; failures += 1) {
        const isOpen = failures <= 10 * (index + 1);
        for (const { wait, ...shown } of await Promise.all(emails.map(countAttempt))) {
          expect([failures, shown]).toEqual([failures, { isOpen, window }]);
          expect(Math.abs(window - wait)).toBeLessThan(100);
        }
      }
      await endWindow(...emails);
    }
  });

  it('extend the window even if no window is exhausted', async () => {
    const email = uniqueEmail();
    const windows: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      for (let failures = 0; failures < 9; failures += 1) windows.push((await countAttempt(email)).window);
      await endWindow(email);
    }
    expect(windows).toEqual([...Array(18).fill(900), ...Array(9).fill(1_800)]);
  });

  it.each([
    [
      'a completed sign-in',
      async ({ email }: RegisteredCustomer) => void (await loginFrom(ELSEWHERE, email)),
    ],
    [
      '90 days without a failure',
      async ({ email }: RegisteredCustomer) =>
        void (await instance.sql(
          `UPDATE login_attempts SET failed_at = now() - interval '91 days' WHERE email_hash = ${emailHashSql(email)}`,
        )),
    ],
  ])('count from zero again after %s', async (_, resetCount) => {
    const customer = await registerCustomer(instance);
    await setConsecutiveFailures(customer.email, 99);
    await resetCount(customer);
    expect(await statusFrom(ELSEWHERE, customer.email, 'wrong password')).toBe(401);
    await instance.sql(
      `UPDATE login_attempts SET tries = 10 WHERE email_hash = ${emailHashSql(customer.email)}`,
    );
    const rejected = await loginFrom('198.51.100.7', customer.email);
    expect(rejected.headers.get('ratelimit-policy')).toBe('"failed-login";q=10;w=900');
    await endWindow(customer.email);
    expect(await statusFrom(ELSEWHERE, customer.email)).toBe(200);
  });
});

describe('OP-02: a password after 100 consecutive failures', () => {
  it('works as the 100th guess, and never later', async () => {
    const { email } = await registerCustomer(instance);
    await setConsecutiveFailures(email, 99);
    expect(await statusFrom(ELSEWHERE, email)).toBe(200);
    await setConsecutiveFailures(email, 100);
    expect(await statusFrom(ELSEWHERE, email)).toBe(401);
  });

  it('fails everywhere like a wrong one, but existing sessions continue', async () => {
    const { email, tokens } = await lockPassword();
    const wrong = await loginFrom(ELSEWHERE, uniqueEmail(), 'wrong password');
    const closed = await loginFrom(ELSEWHERE, email);
    expect(normalizeResponse(closed)).toEqual(normalizeResponse(wrong));
    const { accessToken } = tokens;
    for (const [path, body] of [
      ['password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }],
      ['email', { email: uniqueEmail(), password: PASSWORD }],
      ['delete', { currentPassword: PASSWORD }],
    ] as const) {
      const response = await instance.requestWithAccessToken(accessToken, 'POST', `/api/v1/me/${path}`, body);
      expect([path, response.status]).toEqual([path, 401]);
    }
    await setFailedSignIns(instance, email, { inWindow: 10, consecutive: 110 });
    expect([await statusFrom(HOME, email), await statusFrom(ELSEWHERE, email)]).toEqual([429, 429]);
    expect((await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me')).status).toBe(200);
  });

  it('causes one email and event, even if 20 parallel guesses exceed the limit', async () => {
    const customer = await registerCustomer(instance);
    await setConsecutiveFailures(customer.email, 95);
    const burst = Array.from({ length: 20 }, () => loginFrom(ELSEWHERE, customer.email, 'wrong password'));
    const responses = await Promise.all(burst);
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(10).fill(429)]);
    const rejected = responses.find(({ status }) => status === 429)!;
    expect(rejected.headers.get('ratelimit-policy')).toBe('"failed-login";q=10;w=86400');
    await eventually('the email', async () => (await listNotices(customer)).length > 0);
    await endWindow(customer.email);
    for (let count = 0; count < 2; count += 1) await statusFrom(ELSEWHERE, customer.email, 'wrong password');
    expect(await listNotices(customer)).toMatchObject([
      { subject: expect.stringContaining('Set a new password'), link: null },
    ]);
    expect(await instance.events(customer.id, 'customer.locked')).toHaveLength(1);
  });

  it('causes an email even if the 100th guess was not verified', async () => {
    const customer = await registerCustomer(instance);
    await setConsecutiveFailures(customer.email, 100);
    for (let count = 0; count < 3; count += 1)
      expect(await statusFrom(ELSEWHERE, customer.email, 'wrong password')).toBe(401);
    await eventually('the email', async () => (await listNotices(customer)).length > 0);
    expect(await listNotices(customer)).toHaveLength(1);
  });

  it('is blocked even if the guesses come from a known client IP and get the status 429', async () => {
    const { email } = await registerCustomer(instance);
    expect(await statusFrom(HOME, email)).toBe(200);
    await setFailedSignIns(instance, email, { inWindow: 10, consecutive: 97 });
    for (let count = 0; count < 3; count += 1)
      expect(await statusFrom(HOME, email, 'wrong password')).toBe(429);
    await endWindow(email);
    expect(await statusFrom(ELSEWHERE, email)).toBe(401);
  });

  it.each<[string, (customer: RegisteredCustomer) => Promise<unknown>, string]>([
    [
      'a secret key',
      ({ id }) => instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/unlock`),
      PASSWORD,
    ],
    [
      'a password reset',
      async ({ email }) => submitToken(instance, 'reset-password', await requestReset(instance, email)),
      NEW_PASSWORD,
    ],
  ])('is unlocked by %s, with one event', async (_, open, password) => {
    const customer = await lockPassword();
    await open(customer);
    expect(await statusFrom(ELSEWHERE, customer.email, password)).toBe(200);
    expect(await instance.events(customer.id, 'customer.unlocked')).toHaveLength(1);
  });

  it('stays usable for a customer who registers with the address later', async () => {
    const email = uniqueEmail();
    await setConsecutiveFailures(email, 200);
    await registerCustomer(instance, email);
    expect(await statusFrom(ELSEWHERE, email)).toBe(200);
    // Simulates a previous owner's count that still exists after the customer was deleted.
    await setConsecutiveFailures(email, 200);
    await instance.sql('DELETE FROM customers WHERE email = $1', [email]);
    await registerCustomer(instance, email);
    expect(await statusFrom(ELSEWHERE, email)).toBe(200);
  });

  it('is unlocked when the customer is deleted or gets a different email', async () => {
    const failed = async (): Promise<RegisteredCustomer> => {
      const customer = await registerCustomer(instance);
      await setConsecutiveFailures(customer.email, 100);
      return customer;
    };
    const [deleted, patched, changed] = [await failed(), await failed(), await registerCustomer(instance)];
    await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${deleted.id}`);
    await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${patched.id}`, { email: uniqueEmail() });
    const { currentToken, newToken } = await requestEmailChange(instance, changed);
    await loginFrom(ELSEWHERE, changed.email, 'wrong password');
    for (const token of [currentToken, newToken]) await submitToken(instance, 'confirm-email-change', token);
    for (const { email } of [deleted, patched, changed]) {
      const rows = await instance.sql(`SELECT FROM login_attempts WHERE email_hash = ${emailHashSql(email)}`);
      expect(rows).toEqual([]);
    }
  });
});
