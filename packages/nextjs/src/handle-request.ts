import type { CustomerSummary, Tokens } from '@gatehouse/js';
import { GatehouseError, problemResponse } from '@gatehouse/server';
import type { Deployment } from './deployment.js';
import { handlerRoute, isForwardedRoute } from './handler-route.js';
import {
  bearerOf,
  placeholderAccessToken,
  placeholderRefreshToken,
  placeholderSessionId,
  withoutTokens,
} from './placeholder-tokens.js';
import {
  crossSiteRequestError,
  invalidAccessTokenError,
  notFoundError,
  payloadTooLargeError,
  sessionEndedError,
  unavailableError,
} from './problems.js';
import type { ResolvedOptions } from './options.js';
import { refreshAndReturn } from './refresh-and-return.js';
import { isSafeMethod, isSameOrigin } from './same-origin.js';
import {
  readCookies,
  serializeCookies,
  signedOut,
  type CookieChanges,
  type CookieSession,
} from './session-cookies.js';
import { changesOf, isJustIssued, needsRefresh } from './session-refresher.js';
import { readClaims } from './token-claims.js';

/** Response headers that are forwarded to the page. Set-Cookie must not be one of them. */
const RETURNED = ['ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate', 'x-request-id'];
/** Maximum body length in characters. Gatehouse allows the same number of bytes. */
const MAX_BODY = 65_536;

/** A request from the page, with its context. */
interface Call {
  deployment: Deployment;
  request: Request;
  /** The path of the Gatehouse route, without a query. */
  path: string;
  query: string;
  /** The body. Undefined if it is empty. */
  body: string | undefined;
  cookies: CookieSession;
  /** The cookies to store with the response. */
  changes: CookieChanges;
}

type TokensBody = { tokens?: Tokens | null; customer?: CustomerSummary | null; accessToken?: string };

/** Handles a request from the page. Returns the response from Gatehouse, with placeholders in place of the tokens. */
export async function handleRequest(deployment: Deployment, request: Request): Promise<Response> {
  const { options } = deployment;
  const { pathname, search } = new URL(request.url);
  const path = readRoute(options, pathname);
  if (path === '/refresh' && request.method === 'GET') return refreshAndReturn(deployment, request);
  // The URL from `signInUrl()` on the page, for the hosted sign-in page.
  if (path === '/sign-in' && request.method === 'GET') return redirectTo(`${options.url}/sign-in${search}`);
  if (path === null || !isForwardedRoute(path))
    return problemResponse(notFoundError('The handler forwards only the routes for customers.'));

  const cookies = readCookies(options, request.headers);
  const call: Call = { deployment, request, path, query: search, body: undefined, cookies, changes: {} };
  const response = await respond(call).catch((error: unknown) => {
    if (error instanceof GatehouseError) return problemResponse(error);
    throw error;
  });
  for (const cookie of serializeCookies(options, request.headers, call.changes))
    response.headers.append('Set-Cookie', cookie);
  return response;
}

/** Returns the handler route of a path, or null if there is none. */
function readRoute({ handlerPath }: ResolvedOptions, pathname: string): string | null {
  // A `basePath` precedes the handler path.
  const index = pathname.indexOf(`${handlerPath}/`);
  return index < 0 ? null : handlerRoute(pathname.slice(index + handlerPath.length));
}

async function respond(call: Call): Promise<Response> {
  const { deployment, request, path } = call;
  if (!isSafeMethod(request.method) && !isSameOrigin(deployment.options, request))
    throw crossSiteRequestError('The request was not sent by a page of this site.');
  call.body = await readBody(request);
  if (path === '/api/v1/auth/refresh') return refresh(call);
  if (path === '/api/v1/auth/logout') return signOut(call);
  return forward(call, await customerToken(call));
}

/** Sends the request to Gatehouse. @throws GatehouseError `unavailable` (503) */
async function forward(call: Call, accessToken: string | undefined): Promise<Response> {
  const { deployment, request, path, query, body } = call;
  const { headers, method } = request;
  const { response, text } = await deployment.api({ method, path: path + query, headers, body, accessToken });
  if (path === '/api/v1/me/delete' && response.ok) endSession(call);
  return toPage(call, response, text);
}

/**
 * Returns the access token for a request with a placeholder. Undefined for a request without one.
 * @throws GatehouseError `invalid_access_token` if the placeholder belongs to another session, `unavailable`
 */
async function customerToken(call: Call): Promise<string | undefined> {
  if (!call.request.headers.has('authorization')) return undefined;
  await refreshIfNeeded(call);
  const { accessToken = call.cookies.accessToken } = call.changes;
  const sessionId = placeholderSessionId(bearerOf(call.request));
  if (accessToken && sessionId !== null && readClaims(accessToken)?.sid === sessionId) return accessToken;
  throw invalidAccessTokenError('The session of this page has ended, or another customer has signed in.');
}

/** Refreshes the tokens if the access token has expired or is about to. @throws GatehouseError `unavailable` */
async function refreshIfNeeded(call: Call): Promise<void> {
  const { deployment, request, cookies } = call;
  const now = deployment.options.now();
  if (!cookies.refreshToken || !needsRefresh(cookies, now)) return;
  const refreshed = await deployment.refresher.refresh(cookies.refreshToken, request.headers);
  const isStillValid = cookies.claims !== null && cookies.claims.exp * 1_000 > now;
  if (refreshed.status === 'unavailable' && !isStillValid)
    throw unavailableError('The session cannot be refreshed now.');
  Object.assign(call.changes, changesOf(refreshed));
}

/**
 * Responds to a refresh request from the client. The placeholder identifies the session; the tokens are in the cookies.
 */
async function refresh(call: Call): Promise<Response> {
  const { deployment, request, cookies } = call;
  const sessionId = placeholderSessionId(readField(call.body, 'refreshToken'));
  const isOther = cookies.claims !== null && cookies.claims.sid !== sessionId;
  if (!cookies.refreshToken || sessionId === null || isOther)
    throw sessionEndedError('The session of this page has ended, or another customer has signed in.');
  if (isJustIssued(cookies, deployment.options.now()) && cookies.customer)
    return refreshedResponse(call, cookies.accessToken!, cookies.customer);
  const refreshed = await deployment.refresher.refresh(cookies.refreshToken, request.headers);
  Object.assign(call.changes, changesOf(refreshed));
  if (refreshed.status === 'unavailable') throw unavailableError('The session cannot be refreshed now.');
  if (refreshed.status === 'ended')
    throw new GatehouseError({
      ...sessionEndedError('The session has ended.').problem,
      code: refreshed.code,
    });
  if (readClaims(refreshed.tokens.accessToken)?.sid !== sessionId)
    throw sessionEndedError('Another customer has signed in.');
  return refreshedResponse(call, refreshed.tokens.accessToken, refreshed.customer);
}

function refreshedResponse({ deployment }: Call, accessToken: string, customer: CustomerSummary): Response {
  const { sid = '', exp = 0 } = readClaims(accessToken) ?? {};
  const tokens = {
    accessToken: placeholderAccessToken(accessToken),
    refreshToken: placeholderRefreshToken(sid),
    expiresIn: Math.max(0, Math.floor(exp - deployment.options.now() / 1_000)),
  };
  return Response.json({ tokens, customer }, { headers: { 'Cache-Control': 'no-store' } });
}

/** Ends the session. Removes the cookies even if Gatehouse cannot be reached. */
async function signOut(call: Call): Promise<Response> {
  const sessionId = placeholderSessionId(bearerOf(call.request));
  try {
    return await forward(call, await customerToken(call));
  } finally {
    const newest = call.changes.accessToken ?? call.cookies.accessToken;
    // A tab with an earlier session must not end the session of a customer who has signed in since then.
    const isOwn = !newest || readClaims(newest)?.sid === sessionId;
    if (isOwn && readField(call.body, 'scope') !== 'others') endSession(call);
  }
}

function endSession(call: Call): void {
  for (const token of [call.cookies.refreshToken, call.changes.refreshToken])
    if (token) call.deployment.refresher.forget(token);
  call.changes = signedOut;
}

/** Converts a response from Gatehouse to a response to the page, and stores its tokens in cookies. */
function toPage(call: Call, { status, headers }: Response, text: string): Response {
  const returned = new Headers({ 'Cache-Control': 'no-store' });
  for (const name of RETURNED) if (headers.has(name)) returned.set(name, headers.get(name)!);
  if (text === '') return new Response(null, { status, headers: returned });
  const body: TokensBody | null = parseJson(text);
  // The response is from a proxy in front of Gatehouse.
  if (body === null) throw unavailableError('The response from Gatehouse is not JSON.');
  returned.set('Content-Type', headers.get('content-type') ?? 'application/json');
  return new Response(JSON.stringify(withoutTokens(body, storeTokens(call, body))), {
    status,
    headers: returned,
  });
}

/** Stores a response's tokens in cookies. Returns the session id. */
function storeTokens({ changes, cookies }: Call, { tokens, customer, accessToken }: TokensBody): string {
  if (tokens) {
    changes.accessToken = tokens.accessToken;
    changes.refreshToken = tokens.refreshToken;
    changes.customer = customer ?? null;
  } else if (accessToken) {
    changes.accessToken = accessToken;
  }
  const newest = changes.accessToken ?? cookies.accessToken;
  return (newest && readClaims(newest)?.sid) || '';
}

/** @throws GatehouseError `payload_too_large` (413) without reading the rest of the body */
async function readBody({ method, body }: Request): Promise<string | undefined> {
  if (isSafeMethod(method) || !body) return undefined;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += chunk.value;
    if (text.length <= MAX_BODY) continue;
    await reader.cancel();
    throw payloadTooLargeError('The body exceeds 64 KiB.');
  }
  return text || undefined;
}

function readField(body: string | undefined, name: string): string | undefined {
  const value = (parseJson(body ?? '') as Record<string, unknown> | null)?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the parsed value, or null if it is not an object or an array. */
function parseJson(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

const redirectTo = (url: string): Response =>
  new Response(null, { status: 303, headers: { Location: url, 'Cache-Control': 'no-store' } });
