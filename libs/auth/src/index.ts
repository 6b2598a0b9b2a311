export * from './auth.module.js';
export * from './credentials/caller.js';
export { CredentialGuard, type AuthenticatedRequest } from './credentials/credential.guard.js';
export * from './credentials/current-caller.js';
export * from './credentials/operator-cookie.js';
export * from './credentials/route-credential.js';
export * from './tokens/access-tokens.js';
export * from './tokens/refresh-tokens.js';
export * from './tokens/signing-key-ring.js';
