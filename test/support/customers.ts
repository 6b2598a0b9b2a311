import type { Answer, TestInstance } from './test-instance.js';
import { patiently } from './patiently.js';
import { uniqueEmail } from './unique-email.js';

/** The tokens of a session. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
}

/** A customer of the instance's first project, whose password is PASSWORD. */
export interface Registered {
  id: string;
  email: string;
  tokens: Tokens;
}

/** Registers a customer, however busy the instance is. @throws Error unless the answer is 201, sooner or later */
export async function registerOne(instance: TestInstance, email = uniqueEmail()): Promise<Registered> {
  const { body } = expectStatus(201, await patiently(() => instance.register(email)));
  return { id: body.customer.id, email, tokens: body.tokens };
}

/** Registers `count` customers, ten at a time. @throws Error as `registerOne` does */
export async function registerMany(instance: TestInstance, count: number): Promise<void> {
  for (let done = 0; done < count; done += 10) {
    await Promise.all(Array.from({ length: Math.min(10, count - done) }, () => registerOne(instance)));
  }
}

/** Logs a customer in, however busy the instance is. @throws Error unless the answer is 200, sooner or later */
export async function openSession(
  instance: TestInstance,
  email: string,
  headers: Record<string, string> = {},
): Promise<Tokens> {
  return expectStatus(200, await patiently(() => instance.login(email, undefined, headers))).body.tokens;
}

/** @throws Error with the answer when its status is another one */
export function expectStatus(status: number, answer: Answer): Answer {
  if (answer.status !== status)
    throw new Error(`${answer.status}, not ${status}: ${JSON.stringify(answer.body)}`);
  return answer;
}
