import helmet from 'helmet';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** What every answer says, the API's own content policy included (requirement HD-01). Pages set a policy of theirs. */
export function securityHeaders(): RequestHandler[] {
  return [
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true },
      referrerPolicy: { policy: 'no-referrer' },
      crossOriginResourcePolicy: false,
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xFrameOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
    }) as RequestHandler,
    (_request: Request, response: Response, next: NextFunction) => {
      // Public documents set a policy of their own; everything else may hold a token or a customer.
      response.setHeader('Cache-Control', 'no-store');
      next();
    },
  ];
}
