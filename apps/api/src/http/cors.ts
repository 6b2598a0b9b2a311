import cors from 'cors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

const corsPaths = /^\/(api\/v1\/(auth\/|me(\/|$))|\.well-known\/jwks\.json$)/;

/**
 * Returns the CORS middleware for the routes that pages call (contract, section 2). Preflights from any origin
 * succeed, without credentials; a project's `allowedOrigins` are checked on the request itself, so that the page can
 * read the error. Secret-key routes send no CORS headers.
 */
export function corsMiddleware(): RequestHandler {
  const handleCors = cors({
    origin: true,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Publishable-Key', 'X-Request-Id', 'traceparent'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
    maxAge: 7200,
    optionsSuccessStatus: 204,
  });
  return (request: Request, response: Response, next: NextFunction) =>
    corsPaths.test(request.path) ? handleCors(request, response, next) : next();
}
