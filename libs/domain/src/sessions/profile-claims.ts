/**
 * Customer fields that access tokens can contain as claims. `email` is always the customer's email address. For the
 * other names, a key in `publicMetadata` takes precedence.
 */
export const profileClaims = ['externalId', 'email', 'firstName', 'lastName'] as const;
