import { GatehouseError } from '@gatehouse/server';

const createError =
  (status: number, code: string, title: string) =>
  (detail: string, cause?: unknown): GatehouseError =>
    new GatehouseError({ code, status, title, detail }, { cause });

export const crossSiteRequestError = createError(
  403,
  'cross_site_request',
  'The request is from another site',
);
export const invalidAccessTokenError = createError(
  401,
  'invalid_access_token',
  'The access token is not valid',
);
export const notFoundError = createError(404, 'not_found', 'The route does not exist');
export const payloadTooLargeError = createError(413, 'payload_too_large', 'The body is too large');
export const sessionEndedError = createError(401, 'refresh_token_expired', 'The session has ended');
export const unavailableError = createError(503, 'unavailable', 'Gatehouse is not available');
