import { GatehouseError } from '@gatehouse/server';

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
