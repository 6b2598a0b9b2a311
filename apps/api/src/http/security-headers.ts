import type { NextFunction, Request, Response } from 'express';

/**
 * Headers in every response, including the API's content security policy (requirement HD-01). Pages set their own
 * policy.
 */
const headers = {
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Public documents set their own value; any other response may contain a token or customer data.
  'Cache-Control': 'no-store',
};

export function securityHeaders(_request: Request, response: Response, next: NextFunction): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  next();
}
