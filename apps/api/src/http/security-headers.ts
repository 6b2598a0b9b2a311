import type { NextFunction, Request, Response } from 'express';

/** What every answer says, the API's own content policy included (requirement HD-01). Pages set a policy of theirs. */
const headers = {
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Public documents set a policy of their own; everything else may hold a token or a customer.
  'Cache-Control': 'no-store',
};

export function securityHeaders(_request: Request, response: Response, next: NextFunction): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  next();
}
