import { problemResponse } from '@gatehouse/server';
import type { Deployment } from './deployment.js';
import { unavailableError } from './problems.js';
import { safeReturnUrl } from './return-url.js';
import { readCookies, serializeCookies } from './session-cookies.js';
import { changesOf } from './session-refresher.js';

/**
 * Refreshes the session and redirects back to the page. `auth.protect()` redirects here, because pages cannot store
 * cookies. Requests from other sites are harmless: they can only refresh the session and redirect to a page of this
 * site.
 */
export async function refreshAndReturn(
  { options, refresher }: Deployment,
  { url, headers }: Request,
): Promise<Response> {
  const returnUrl = safeReturnUrl(new URL(url).searchParams.get('returnTo'));
  const { refreshToken } = readCookies(options, headers);
  const response = new Response(null, {
    status: 303,
    headers: { Location: returnUrl, 'Cache-Control': 'no-store' },
  });
  if (!refreshToken) return response;
  const refreshed = await refresher.refresh(refreshToken, headers);
  if (refreshed.status === 'unavailable')
    return problemResponse(unavailableError('The session cannot be refreshed now. Load the page again.'));
  const changes = { ...changesOf(refreshed), isJustRefreshed: true as const };
  for (const cookie of serializeCookies(options, headers, changes))
    response.headers.append('Set-Cookie', cookie);
  return response;
}
