import { createHash, randomBytes } from 'node:crypto';
import { eventually } from './eventually.js';
import { expectStatus } from './customers.js';
import type { TestInstance, TestResponse } from './test-instance.js';

/** A challenge and the code that completes it. */
export interface EmailCode {
  token: string;
  code: string;
}

/** A request's project, API process and additional headers. Default: the first project, the first process, no headers. */
export interface EmailCodeOptions {
  publishableKey?: string;
  baseUrl?: string;
  headers?: Record<string, string>;
}

/** An emailed link with its code, and the values with which the requesting client exchanges it. */
export interface EmailLink extends EmailCode {
  /** The link's path and query. */
  path: string;
  redirectUrl: string;
  codeVerifier: string;
}

/** A request that exchanges a code for a session. */
export interface Exchange {
  code: string;
  codeVerifier: string;
  redirectUrl: string;
}

const send = (
  instance: TestInstance,
  path: string,
  body: object,
  { publishableKey = instance.credentials.publishableKey, baseUrl, headers }: EmailCodeOptions,
): Promise<TestResponse> =>
  instance.request('POST', `/api/v1/auth/${path}`, {
    body,
    headers: { 'x-publishable-key': publishableKey, ...headers },
    ...(baseUrl ? { baseUrl } : {}),
  });

/** Requests a challenge. @param target a link's redirect URL and code challenge */
export const requestEmailCode = (
  instance: TestInstance,
  email: string,
  { target = {}, ...options }: EmailCodeOptions & { target?: object } = {},
): Promise<TestResponse> => send(instance, 'email-code', { email, ...target }, options);

/** Verifies a challenge's code. */
export const verifyEmailCode = (
  instance: TestInstance,
  { token, code }: EmailCode,
  { locale, ...options }: EmailCodeOptions & { locale?: string } = {},
): Promise<TestResponse> =>
  send(instance, 'email-code/verify', { token, code, ...(locale ? { locale } : {}) }, options);

/** Requests a challenge. @returns its token and the code from the email */
export async function receiveEmailCode(
  instance: TestInstance,
  email: string,
  options: EmailCodeOptions = {},
): Promise<EmailCode> {
  const before = (await instance.listMails(email, 'email-code')).length;
  const { token } = (await requestEmailCode(instance, email, options)).body.challenge;
  return { token, code: await readEmailCode(instance, email, before) };
}

/** Requests a challenge with a link. The project must allow the redirect URL. */
export async function receiveEmailLink(
  instance: TestInstance,
  email: string,
  redirectUrl: string,
): Promise<EmailLink> {
  const before = (await instance.listMails(email, 'email-code')).length;
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const { body } = await requestEmailCode(instance, email, { target: { redirectUrl, codeChallenge } });
  const code = await readEmailCode(instance, email, before);
  const { pathname, search } = new URL((await instance.listMails(email, 'email-code'))[0]!['link'] as string);
  return { token: body.challenge.token, code, path: pathname + search, redirectUrl, codeVerifier };
}

/** Submits the page of a link without a browser. */
export async function submitEmailLink(
  { path }: Pick<EmailLink, 'path'>,
  baseUrl: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { pathname, searchParams } = new URL(path, baseUrl);
  return fetch(baseUrl + pathname, { method: 'POST', body: searchParams, headers, redirect: 'manual' });
}

/** Submits a link's page. @returns the request that completes the sign-in */
export async function useEmailLink(
  instance: TestInstance,
  link: Omit<EmailLink, keyof EmailCode>,
): Promise<Exchange> {
  const response = await submitEmailLink(link, instance.baseUrl);
  const { searchParams } = new URL(response.headers.get('location')!);
  const { codeVerifier, redirectUrl } = link;
  return { code: searchParams.get('code')!, codeVerifier, redirectUrl };
}

/** Exchanges a code for a session. */
export const exchangeCode = (
  instance: TestInstance,
  exchange: Exchange,
  options: EmailCodeOptions = {},
): Promise<TestResponse> => send(instance, 'exchange', exchange, options);

/** Returns the code from the newest email to an address. @param before the number of earlier emails */
export async function readEmailCode(
  instance: TestInstance,
  email: string,
  before = 0,
  kind = 'email-code',
): Promise<string> {
  const mail = await eventually('the email with the code', async () => {
    const mails = await instance.listMails(email, kind);
    return mails.length > before ? mails[0] : null;
  });
  return /^\d+$/m.exec(mail['text'] as string)![0];
}

/** Requests an email for a customer's reauthentication. @returns the code from the email */
export async function receiveReauthenticationCode(
  instance: TestInstance,
  accessToken: string,
  email: string,
): Promise<string> {
  const kind = 'reauthentication-code';
  const before = (await instance.listMails(email, kind)).length;
  const path = '/api/v1/me/reauthenticate/options';
  const body = { method: 'email_code' };
  expectStatus(202, await instance.requestWithAccessToken(accessToken, 'POST', path, body));
  return readEmailCode(instance, email, before, kind);
}

/** Returns a wrong code of the same length. */
export const wrongCode = ({ token, code }: EmailCode): EmailCode => ({
  token,
  code: String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0'),
});

/** Converts a code to full-width digits, as typed on an East Asian keyboard. */
export const toFullWidth = (code: string): string =>
  code.replace(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
