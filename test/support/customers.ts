import { PASSWORD, type TestResponse, type TestInstance } from './test-instance.js';
import { retryWhileRejected } from './retry-while-rejected.js';
import { uniqueEmail } from './unique-email.js';

/** A session's tokens. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
}

/** A customer of the instance's first project with the password PASSWORD. */
export interface RegisteredCustomer {
  id: string;
  email: string;
  tokens: Tokens;
}

/** Registers a customer, and retries while the instance is busy. @throws Error unless the final status is 201 */
export async function registerCustomer(
  instance: TestInstance,
  email = uniqueEmail(),
): Promise<RegisteredCustomer> {
  const { body } = expectStatus(201, await retryWhileRejected(() => instance.register(email)));
  return { id: body.customer.id, email, tokens: body.tokens };
}

/** Registers `count` customers, ten at a time. @throws Error under the same conditions as `registerCustomer` */
export async function registerCustomers(instance: TestInstance, count: number): Promise<void> {
  for (let done = 0; done < count; done += 10) {
    await Promise.all(Array.from({ length: Math.min(10, count - done) }, () => registerCustomer(instance)));
  }
}

/** Logs a customer in, and retries while the instance is busy. @throws Error unless the final status is 200 */
export async function openSession(
  instance: TestInstance,
  email: string,
  headers: Record<string, string> = {},
): Promise<Tokens> {
  return expectStatus(200, await retryWhileRejected(() => instance.login(email, undefined, headers))).body
    .tokens;
}

/** The new password in tests that change it. */
export const NEW_PASSWORD = 'quite another phrase';

/** Requests a password reset. @returns the token from the email */
export async function requestReset(instance: TestInstance, email: string): Promise<string> {
  await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email });
  return instance.getMailToken(email, 'reset-password');
}

/** Invites a new customer. @returns the customer and the token from the email */
export async function inviteCustomer(
  instance: TestInstance,
): Promise<{ id: string; email: string; token: string }> {
  const email = uniqueEmail();
  const { body } = await instance.requestWithSecretKey('POST', '/api/v1/customers', {
    email,
    sendInvite: true,
  });
  return { id: body.id, email, token: await instance.getMailToken(email, 'accept-invite') };
}

/** Requests a change of a customer's email address. @returns the new address and the tokens from both emails */
export async function requestEmailChange(
  instance: TestInstance,
  { email, tokens }: Pick<RegisteredCustomer, 'email' | 'tokens'>,
): Promise<{ newEmail: string; currentToken: string; newToken: string }> {
  const newEmail = uniqueEmail();
  const body = { email: newEmail, password: PASSWORD };
  expectStatus(
    202,
    await instance.requestWithAccessToken(tokens.accessToken, 'POST', '/api/v1/me/email', body),
  );
  const currentToken = await instance.getMailToken(email, 'change-email-current');
  return { newEmail, currentToken, newToken: await instance.getMailToken(newEmail, 'change-email-new') };
}

/** Submits the token from an email. */
export function submitToken(
  instance: TestInstance,
  route: 'verify-email' | 'disown' | 'reset-password' | 'confirm-email-change',
  token: string,
  password = NEW_PASSWORD,
): Promise<TestResponse> {
  const body = route === 'reset-password' ? { token, password } : { token };
  return instance.request('POST', `/api/v1/auth/${route}`, { body });
}

export const refreshSession = (
  instance: TestInstance,
  refreshToken: string,
  baseUrl = instance.baseUrl,
): Promise<TestResponse> =>
  instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken }, baseUrl });

/** Runs `work` with changed settings of the first project, and then restores the defaults. */
export async function withSettings<Result>(
  instance: TestInstance,
  settings: Record<string, unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  const path = `/api/v1/projects/${instance.credentials.projectId}`;
  const defaults = Object.fromEntries(Object.keys(settings).map((name) => [name, null]));
  expectStatus(200, await instance.requestWithSecretKey('PATCH', path, { settings }));
  try {
    return await work();
  } finally {
    await instance.requestWithSecretKey('PATCH', path, { settings: defaults });
  }
}

/** Returns a response without the parts that differ for each request. */
export const normalizeResponse = ({ status, body, headers }: TestResponse) => ({
  status,
  body: { ...body, requestId: undefined },
  headers: Object.fromEntries([...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))),
});

/** Returns the response. @throws Error that contains the response if its status is not the expected one */
export function expectStatus(status: number, response: TestResponse): TestResponse {
  if (response.status !== status)
    throw new Error(
      `expected status ${status}, but got ${response.status}: ${JSON.stringify(response.body)}`,
    );
  return response;
}
