/**
 * Claims that `publicMetadata` cannot set: claims that Gatehouse sets, claims that verifiers evaluate (RFC 7519, 7800,
 * 8693, 9068; OpenID Connect Core, section 2), and the ids of Gatehouse's resources.
 */
export const reservedClaims: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'sid', 'email_verified'],
  ...['typ', 'azp', 'client_id', 'scope', 'cnf', 'act', 'may_act'],
  ...['auth_time', 'acr', 'amr', 'nonce', 'at_hash', 'c_hash', 's_hash', 'events', 'txn'],
  ...['project_id', 'organization_id', 'customer_id', 'session_id'],
  ...['org_id', 'org_role', 'org_permissions'],
  // Assigning these names to an object does not add a claim.
  ...['__proto__', 'constructor', 'prototype'],
]);
