import type { CustomFetch } from 'openid-client';
import { isJsonObject } from '@gatehouse/domain';

/**
 * Placeholder for an access token that a response does not contain. For example, Azure AD B2C returns none for the
 * scope `openid`. No request is sent with it.
 */
export const NO_ACCESS_TOKEN = 'none';

/**
 * Returns a `fetch` function that removes unused members from token responses, because openid-client rejects a response
 * in which one of them has an unexpected type, such as null (ADR 0097). Only token requests are POST requests.
 */
export const tolerateTokenResponses =
  (fetch: CustomFetch): CustomFetch =>
  async (url, options) => {
    const response = await fetch(url, options);
    if (options.method !== 'POST' || response.status !== 200) return response;
    const { status, headers } = response;
    return new Response(keepUsedMembers(await response.text()), { status, headers });
  };

function keepUsedMembers(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  if (!isJsonObject(body)) return text;
  const idToken = textOf(body['id_token']);
  return JSON.stringify({
    access_token: textOf(body['access_token']) ?? (idToken && NO_ACCESS_TOKEN),
    id_token: idToken,
    // The received type is ignored: the provider's API rejects a token of another type, and a sign-in with an id token
    // does not depend on the API.
    token_type: 'bearer',
    // GitHub returns errors with status 200.
    error: body['error'],
  });
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
