/**
 * Customer fields that access tokens can contain as claims. `email` is always the customer's email address. A key in
 * `publicMetadata` with another field's name takes precedence.
 */
export const profileClaims = ['externalId', 'email', 'firstName', 'lastName'] as const;
