/**
 * Claims that no project may fill from `publicMetadata`: those we write ourselves, those that verifiers act upon
 * (RFC 7519, 7800, 8693, 9068; OpenID Connect Core, section 2), and names that mean our own objects.
 * `email` is among them because it would stand beside our `email_verified`.
 */
export const reservedClaims: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'sid', 'email', 'email_verified'],
  ...['typ', 'azp', 'client_id', 'scope', 'cnf', 'act', 'may_act'],
  ...['auth_time', 'acr', 'amr', 'nonce', 'at_hash', 'c_hash', 's_hash', 'events', 'txn'],
  ...['project_id', 'organization_id', 'customer_id', 'session_id'],
  // Assigning these to an object does something else than adding a claim.
  ...['__proto__', 'constructor', 'prototype'],
]);
