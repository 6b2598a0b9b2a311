import { GatehouseError } from '@gatehouse/server';

/** Returns the response to an error, as Gatehouse itself sends it (RFC 9457). */
export function problemResponse(error: GatehouseError): Response {
  const challenge = describeChallenge(error);
  return new Response(JSON.stringify(error.problem), {
    status: error.status,
    headers: {
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Cache-Control': 'no-store',
      ...(challenge && { 'WWW-Authenticate': challenge }),
    },
  });
}

/** Returns the challenge of RFC 6750, or that of RFC 9470 for a proof that is too old or too weak. */
function describeChallenge({ code, status }: GatehouseError): string | null {
  if (status === 401) return 'Bearer error="invalid_token"';
  return code === 'reauthentication_required' ? 'Bearer error="insufficient_user_authentication"' : null;
}

const errorOf =
  (status: number, code: string, title: string) =>
  (detail: string, cause?: unknown): GatehouseError =>
    new GatehouseError({ code, status, title, detail }, { cause });

export const crossSiteRequest = errorOf(403, 'cross_site_request', 'The request is from another site');
export const invalidAccessToken = errorOf(401, 'invalid_access_token', 'The access token is not valid');
export const notFound = errorOf(404, 'not_found', 'The route does not exist');
export const payloadTooLarge = errorOf(413, 'payload_too_large', 'The body is too large');
export const sessionEnded = errorOf(401, 'refresh_token_expired', 'The session has ended');
export const unavailable = errorOf(503, 'unavailable', 'Gatehouse is not available');
