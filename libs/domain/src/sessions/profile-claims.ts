/**
 * Fields of the customer that access tokens can contain as claims. `email` is always the address of the customer. A
 * key of `publicMetadata` with the name of another field takes precedence.
 */
export const profileClaims = ['externalId', 'email', 'firstName', 'lastName'] as const;
