import type {} from 'fastify';
import type { AccessTokenClaims } from './access-token-claims.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The access token's claims, after `requireCustomer()`. */
    customer?: AccessTokenClaims;
  }
}
