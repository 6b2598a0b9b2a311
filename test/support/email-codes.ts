import { eventually } from './eventually.js';
import type { TestInstance, TestResponse } from './test-instance.js';

/** A challenge and the code that completes it. */
export interface EmailCode {
  token: string;
  code: string;
}

/** The project of the request, the api and additional headers. Default: the first ones, and none. */
export interface EmailCodeOptions {
  publishableKey?: string;
  baseUrl?: string;
  headers?: Record<string, string>;
}

const send = (
  instance: TestInstance,
  path: string,
  body: object,
  { publishableKey = instance.credentials.publishableKey, baseUrl, headers }: EmailCodeOptions,
): Promise<TestResponse> =>
  instance.request('POST', `/api/v1/auth/email-code${path}`, {
    body,
    headers: { 'x-publishable-key': publishableKey, ...headers },
    ...(baseUrl ? { baseUrl } : {}),
  });

/** Requests a challenge. */
export const requestEmailCode = (
  instance: TestInstance,
  email: string,
  options: EmailCodeOptions = {},
): Promise<TestResponse> => send(instance, '', { email }, options);

/** Sends a code for a challenge. */
export const verifyEmailCode = (
  instance: TestInstance,
  { token, code }: EmailCode,
  { locale, ...options }: EmailCodeOptions & { locale?: string } = {},
): Promise<TestResponse> =>
  send(instance, '/verify', { token, code, ...(locale ? { locale } : {}) }, options);

/** Requests a challenge. @returns its token and the code in the email */
export async function receiveEmailCode(
  instance: TestInstance,
  email: string,
  options: EmailCodeOptions = {},
): Promise<EmailCode> {
  const before = (await instance.listMails(email, 'email-code')).length;
  const { token } = (await requestEmailCode(instance, email, options)).body.challenge;
  return { token, code: await readEmailCode(instance, email, before) };
}

/** Returns the code in the newest email to an address. @param before number of earlier emails */
export async function readEmailCode(instance: TestInstance, email: string, before = 0): Promise<string> {
  const mail = await eventually('the email with the code', async () => {
    const mails = await instance.listMails(email, 'email-code');
    return mails.length > before ? mails[0] : null;
  });
  return /^\d+$/m.exec(mail['text'] as string)![0];
}

/** Returns a code of the same length that is wrong. */
export const wrongCode = ({ token, code }: EmailCode): EmailCode => ({
  token,
  code: String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0'),
});
