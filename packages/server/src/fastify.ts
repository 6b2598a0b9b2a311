import type {} from 'fastify';
import type { AccessTokenClaims } from './access-token-claims.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The claims of the access token, after `requireCustomer()`. */
    customer?: AccessTokenClaims;
  }
}
